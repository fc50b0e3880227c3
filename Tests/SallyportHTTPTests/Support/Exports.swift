// Every test here speaks to a whole server through this.
@_exported import HTTPTestSupport
