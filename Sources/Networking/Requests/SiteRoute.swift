/// Where a site itself does what WordPress.com does under another name.
public struct SiteRoute: Hashable, Sendable {
    /// For example `wp/v2`.
    public let namespace: String
    /// Below the namespace.
    public let path: String
    public let parameters: Parameters

    public init(namespace: String, path: String, parameters: Parameters) {
        (self.namespace, self.path, self.parameters) = (namespace, path, parameters)
    }
}
