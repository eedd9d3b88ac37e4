"""Small programs that control a robot: python -m saint_services.client.examples.<name>"""
