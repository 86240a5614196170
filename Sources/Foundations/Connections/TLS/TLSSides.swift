public import Determinism
import Files

/// Makes TLS connections as a client.
public struct TLSClient: Sendable {
    /// The settings of a client.
    public struct Settings: Hashable, Sendable {
        /// Whom to trust. Certificates are always verified.
        public var authorities: TLSAuthorities
        /// What to show to a server that asks for a certificate.
        public var identity: TLSIdentityFiles?
        /// The name or IP address that the server's certificate must have; nil for the host that was connected to.
        public var serverName: String?
        /// The lowest version.
        public var minimumVersion: TLSVersion

        /// Sets a client up. `identity` is for servers that ask for a certificate; nil `serverName` expects that of the
        /// address.
        public init(
            authorities: TLSAuthorities = .system, identity: TLSIdentityFiles? = nil, serverName: String? = nil,
            minimumVersion: TLSVersion = .v1_2
        ) {
            (self.authorities, self.identity) = (authorities, identity)
            (self.serverName, self.minimumVersion) = (serverName, minimumVersion)
        }
    }

    private let context: TLSContext
    private let serverName: String?
    private let time: any TimeSource

    /// Reads the files of the settings.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - time: measures the deadlines, and gives the moment for which certificates must be valid.
    /// - Throws: ``TLSSetupError``
    public init(_ settings: Settings, time: any TimeSource) throws(TLSSetupError) {
        context = try TLSContext(
            .client, minimumVersion: settings.minimumVersion, identity: settings.identity,
            authorities: settings.authorities)
        (serverName, self.time) = (settings.serverName, time)
    }

    /// Carries out the handshake over a connection.
    ///
    /// - Parameters:
    ///   - base: the connection below, which is closed when the handshake fails.
    ///   - host: the name or IP address that was connected to.
    ///   - deadline: the end of the handshake.
    /// - Returns: the connection.
    /// - Throws: ``ConnectionFailure``
    public func secure(
        _ base: any ByteConnection, host: String, deadline: Deadline
    ) async throws(ConnectionFailure) -> TLSConnection {
        try await TLSConnection.open(
            over: base, context, expectedName: serverName ?? host, deadline: deadline, time: time)
    }

    /// Connects, and carries out the handshake.
    ///
    /// - Parameters:
    ///   - address: the host and port.
    ///   - options: of the TCP connection.
    ///   - deadline: the end of name lookup, connecting, and handshake.
    /// - Returns: the connection.
    /// - Throws: ``ConnectionFailure``
    public func connect(
        to address: TCPAddress, options: TCPOptions = TCPOptions(), deadline: Deadline
    ) async throws(ConnectionFailure) -> TLSConnection {
        let base = try await TCPConnector(time: time, options: options).connect(to: address, deadline: deadline)
        return try await secure(base, host: address.host, deadline: deadline)
    }
}

/// Makes TLS connections as a server.
public struct TLSServer: Sendable {
    /// The settings of a server.
    public struct Settings: Hashable, Sendable {
        /// What to show to clients.
        public var identity: TLSIdentityFiles
        /// A PEM file of the authorities of clients. With it, the server demands a certificate of every client.
        public var clientAuthorities: String?
        /// The lowest version.
        public var minimumVersion: TLSVersion

        /// Sets a server up. `clientAuthorities` is a PEM file; with it, every client needs a certificate of these.
        public init(
            identity: TLSIdentityFiles, clientAuthorities: String? = nil, minimumVersion: TLSVersion = .v1_2
        ) {
            (self.identity, self.clientAuthorities) = (identity, clientAuthorities)
            self.minimumVersion = minimumVersion
        }
    }

    private let context: TLSContext
    private let time: any TimeSource

    /// Reads the files of the settings.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - time: measures the deadlines, and gives the moment for which certificates must be valid.
    /// - Throws: ``TLSSetupError``
    public init(_ settings: Settings, time: any TimeSource) throws(TLSSetupError) {
        context = try TLSContext(
            .server, minimumVersion: settings.minimumVersion, identity: settings.identity,
            authorities: settings.clientAuthorities.map { .pinned(file: $0) })
        self.time = time
    }

    /// Returns this side of a connection without I/O, for a server that has connections of its own.
    ///
    /// - Throws: ``TLSFailure`` for lack of memory.
    package func engine() throws(TLSFailure) -> TLSEngine {
        try TLSEngine(context, expectedName: nil, at: time.now())
    }

    /// Carries out the handshake over an accepted connection.
    ///
    /// - Parameters:
    ///   - base: the connection below, which is closed when the handshake fails.
    ///   - deadline: the end of the handshake.
    /// - Returns: the connection.
    /// - Throws: ``ConnectionFailure``
    public func secure(_ base: any ByteConnection, deadline: Deadline) async throws(ConnectionFailure) -> TLSConnection
    {
        try await TLSConnection.open(over: base, context, expectedName: nil, deadline: deadline, time: time)
    }
}

extension TCPListener {
    /// Serves every client in a task of its own, until the listener is closed or the task is canceled. Then it cancels
    /// the tasks of the clients, and waits for their ends.
    ///
    /// - Parameters:
    ///   - tls: the server's side of TLS; nil without TLS.
    ///   - handshakeLimit: how long a client may take for the TLS handshake.
    ///   - onRefusal: called with the address of a client whose handshake failed.
    ///   - serve: serves one client. Its connection is closed when it returns.
    /// - Throws: ``ConnectionFailure/canceled``, ``ConnectionFailure/closed``
    public func serve(
        tls: TLSServer? = nil, handshakeLimit: Duration = .seconds(10),
        onRefusal: @escaping @Sendable (String, ConnectionFailure) -> Void = { _, _ in },
        _ serve: @escaping @Sendable (any ByteConnection) async -> Void
    ) async throws(ConnectionFailure) {
        let time = time
        let end = await withDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            while true {
                let accepted: TCPConnection
                do throws(ConnectionFailure) { accepted = try await accept() } catch { return error }
                group.addTask {
                    var connection: any ByteConnection = accepted
                    if let tls {
                        do throws(ConnectionFailure) {
                            let deadline = Deadline(after: handshakeLimit, on: time)
                            connection = try await tls.secure(accepted, deadline: deadline)
                        } catch {
                            return onRefusal(accepted.peer.address, error)
                        }
                    }
                    await serve(connection)
                    connection.close()
                }
            }
        }
        throw end
    }
}
