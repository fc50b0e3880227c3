// Most tests of this module use a complete server, which HTTPTestSupport provides.
@_exported import HTTPTestSupport
