import HTTPTypes

/// Determines the headers of a page that depend on where its form leads, and on whether an app may have opened the page
/// in a pop-up window.
enum PagePolicy: Sendable {
  /// A page of the server itself, whose form leads to another page of the server.
  case standalone
  /// A step of an app's request, whose form can lead to the app.
  ///
  /// Browsers check `form-action` against every redirect that follows a form post, including the app's own redirects,
  /// so any list of origins would break apps whose callback redirects to another origin. A cross-origin opener policy
  /// would separate a pop-up from the app that opened it.
  case interaction
  /// A page of the server itself with a form that leads to an upstream (another OpenID provider), which may redirect to
  /// other origins.
  case leaving
  /// A page without a form. It can be the last page that an app's pop-up window shows.
  case final

  var contentSecurityPolicy: String {
    let common = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    return self == .interaction || self == .leaving ? common : "\(common); form-action 'self'"
  }

  /// The value of `Cross-Origin-Opener-Policy`, or nil for no such header.
  var openerPolicy: String? { self == .standalone || self == .leaving ? "same-origin" : nil }
}
