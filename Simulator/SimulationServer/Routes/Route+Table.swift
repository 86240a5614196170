extension Route {
    /// Everything that can be asked.
    static let table = service + sessions + readers + payments + world + records

    /// The page and the document tell nothing of any session.
    var needsToken: Bool { path.hasPrefix("/v1") }
}
