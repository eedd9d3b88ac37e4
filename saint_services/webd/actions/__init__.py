"""The actions of the API: what webd does for each row of lib/api."""
