// All tests of this module use a complete server through HTTPTestSupport.
@_exported import HTTPTestSupport
