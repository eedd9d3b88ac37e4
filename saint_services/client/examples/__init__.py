"""Small programs that steer a robot: python -m saint_services.client.examples.<name>"""
