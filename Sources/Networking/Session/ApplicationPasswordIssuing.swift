/// Where application passwords come from.
public protocol ApplicationPasswordIssuing: Sendable {
    /// Makes a new one, and takes back the one that this program had.
    ///
    /// - Throws: ``NetworkError``
    func makePassword() async throws(NetworkError) -> ApplicationPassword
}
