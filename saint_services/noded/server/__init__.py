"""What passes between a node and its server: orders, configurations, releases, log pages."""
