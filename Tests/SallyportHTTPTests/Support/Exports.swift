// All tests here use a complete server through this module.
@_exported import HTTPTestSupport
