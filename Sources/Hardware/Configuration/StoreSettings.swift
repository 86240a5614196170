internal import SettingsFile

/// How the program reaches the store and where it keeps who is signed in.
public struct StoreSettings: Hashable, Sendable {
    /// Where the credentials are kept.
    public enum CredentialsPlace: String, Hashable, Sendable, CaseIterable {
        /// In a file beside the database, which its owner alone can read.
        case file
        /// In the kernel's keyring of the user, until the machine restarts.
        case keyring
    }

    public let credentials: CredentialsPlace
    /// A file of certificate authorities (PEM) that are trusted instead of the machine's own; nil for those.
    public let authorities: String?
    /// How long a connection may take to come about.
    public let connectTimeout: Duration
    /// The most requests to the store at a time, 1...16; nil leaves it to the program.
    public let connections: Int?

    private static let keys = ["credentials", "authorities", "connectTimeout", "connections"]

    /// A file, the machine's authorities, ten seconds, as many connections as the program likes.
    public init() {
        (credentials, authorities) = (.file, nil)
        (connectTimeout, connections) = (.seconds(10), nil)
    }

    init(_ node: SettingsNode?) throws(SettingsError) {
        let standard = StoreSettings()
        try node?.mapping(allowedKeys: Self.keys)
        credentials = try node?.optional("credentials")?.choice(CredentialsPlace.self) ?? standard.credentials
        authorities = try node?.optional("authorities").map(Self.path)
        let seconds = try node?.optional("connectTimeout")?.int(in: 1...120)
        connectTimeout = seconds.map { .seconds($0) } ?? standard.connectTimeout
        connections = try node?.optional("connections")?.int(in: 1...16)
    }

    /// A relative name starts at the directory of the configuration.
    private static func path(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.line(length: 1...1024)
        guard !name.hasPrefix("/"), let slash = node.location.file.lastIndex(of: "/") else { return name }
        return node.location.file[...slash] + name
    }
}
