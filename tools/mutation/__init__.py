"""Tests of the tests: does some test fail when the safety code is changed a little?"""
