import Connections
import Hosts
import ISO8583

/// Says why a step of `host check` failed, and what to do.
struct HostAdvice {
    let profile: MessageProfile
    let address: TCPAddress
    let connection: WatchedConnection
    let events: EventLog
    /// Whether the key file or the token has all keys that the host is asked for.
    var hasAllKeys = false

    /// The failure of a step after the connection was made.
    func failure(_ problem: HostProblem, _ step: String) -> CommandFailure {
        switch problem {
        case .connection(let failure):
            return Self.failure(failure, address, step, isSecure: connection.peer.security != nil)
        case .frame(let error):
            return wrongFraming("\(error)".replacing(error.start, with: Self.readable(error.start)), step)
        case .hangUp:
            return CommandFailure(
                .unavailable, code: "connection_ended", message: "\(step): the host closed the connection",
                fix: "it may not understand the framing or the profile '\(profile.name)', or not know the terminal")
        case .noAnswer: return noAnswer(step)
        case .wrongMAC:
            return CommandFailure(
                .unavailable, code: "wrong_mac", message: "\(step): \(problem)",
                fix: "correct the key file, or security.mac in the profile, or have the acquirer check its key")
        case .signOnRefused:
            return CommandFailure(
                .unavailable, code: "sign_on_refused", message: "\(step): \(problem)",
                fix: "have the acquirer check terminal and merchant, or correct --terminal and --merchant")
        case .keyExchange:
            return CommandFailure(
                .unavailable, code: "keys_not_exchanged", message: "\(step): \(problem)",
                fix: hasAllKeys
                    ? "every key is there already: if the host sends none, write 'messages: { keyExchange: none }' in the "
                        + "profile; otherwise have the acquirer check the terminal and its master key"
                    : "have the acquirer check the terminal and its master key, or correct the key file")
        case .missingField(let field, _) where field == 41 || field == 42:
            return CommandFailure(
                .usage, code: "missing_identity", message: "\(step): \(problem)",
                fix: field == 41 ? "give --terminal" : "give --merchant")
        case .needsKey:
            return CommandFailure(
                .configuration, code: "message_not_made", message: "\(step): \(problem)",
                fix: "name a key file or a token: host.keys in the configuration, or --keys")
        case .mac, .pin:
            return CommandFailure(
                .configuration, code: "message_not_made", message: "\(step): \(problem)",
                fix: "correct the keys, or security in the profile")
        case .missingField, .message, .noMessage, .tooLong:
            return CommandFailure(
                .configuration, code: "message_not_made", message: "\(step): \(problem)",
                fix: "correct the profile, --terminal, or --merchant")
        case .sameKey, .halfOpen, .pausing, .canceled, .closed:
            return CommandFailure(.unavailable, code: "connection_ended", message: "\(step): \(problem)")
        }
    }

    /// The failure of a connection.
    static func failure(
        _ failure: ConnectionFailure, _ address: TCPAddress, _ step: String, isSecure: Bool = false
    ) -> CommandFailure {
        switch failure {
        case .unknownHost, .lookUpFailed, .timedOut(.lookUp):
            return CommandFailure(
                .unavailable, code: "unknown_host", message: "look up: \(failure)",
                fix: "check --address, and the name server of this machine")
        case .tls(let failure):
            return CommandFailure(
                .unavailable, code: "tls_failed", message: "TLS: \(failure)", fix: advice(failure))
        case .timedOut(.handshake):
            return CommandFailure(
                .unavailable, code: "tls_failed", message: "TLS: \(failure)",
                fix: "the host may not speak TLS at this port: ask the acquirer for the right one")
        case .notConnected, .timedOut(.connect):
            return CommandFailure(
                .unavailable, code: "host_unreachable", message: "\(step): \(failure)",
                fix: "check --address, firewalls, and whether the acquirer expects this address")
        default:
            return CommandFailure(
                .unavailable, code: "connection_ended", message: "\(step): \(failure)",
                fix: isSecure
                    ? "the host may ask for a certificate: give --certificate and --key"
                    : "if the host expects TLS, give --ca; otherwise its profile may be another one")
        }
    }

    private static func advice(_ failure: TLSFailure) -> String {
        switch failure {
        case .expired: "have the acquirer renew the certificate, and check the clock of this machine"
        case .notYetValid: "check the clock of this machine"
        case .wrongName: "connect by a name of the certificate, or give --server-name"
        case .unknownAuthority: "give the acquirer's authority with --ca"
        case .alert, .noCertificate:
            "give the certificate that the acquirer issued: --certificate and --key, or tls.certificate and tls.key in "
                + "the configuration"
        case .notTLS: "the host does not speak TLS at this port: ask the acquirer for the right one"
        case .versionTooLow: "the host must offer TLS 1.2 or 1.3"
        case .closedInHandshake: "check the port, and whether the host demands --certificate"
        case .wrongUse, .refusedCertificate, .truncated, .failed: "ask the acquirer"
        }
    }

    private func noAnswer(_ step: String) -> CommandFailure {
        for event in events.all.reversed() {
            switch event {
            case .malformed(let error): return wrongFraming("no message of '\(profile.name)': \(error)", step)
            case .unmatched(let message) where [.noMAC, .wrongMAC].contains(message.reason):
                return CommandFailure(
                    .unavailable, code: "wrong_mac", message: "\(step): the host's message \(message)",
                    fix: "compare the check values of the keys with the acquirer, and security.mac in the profile")
            case .unmatched(let message):
                return CommandFailure(
                    .unavailable, code: "answer_not_matched", message: "\(step): the host's message \(message)",
                    fix: "check --terminal, and matching in the profile")
            default: continue
            }
        }
        return CommandFailure(
            .unavailable, code: "no_answer", message: "\(step): the host took the message, and did not answer in time",
            fix: "it may not understand the framing or the profile '\(profile.name)', or not know the terminal")
    }

    private func wrongFraming(_ reason: String, _ step: String) -> CommandFailure {
        let bytes = connection.firstBytes
        let start = Self.readable(Self.start(of: bytes))
        let shown = reason.hasSuffix(start) ? "" : "; what came begins with \(start)"
        let fitting = MessageProfile.shippedNames.filter { $0 != profile.name && Self.fits(bytes, $0) }
        let names = fitting.map { "'\($0)'" }.joined(separator: " or ")
        return CommandFailure(
            .badData, code: "wrong_profile", message: "\(step): \(reason)\(shown)",
            fix: fitting.isEmpty
                ? "no shipped profile reads these bytes: correct framing and encoding of the profile"
                : "what came is a message of \(names): give --profile, or correct the framing of your own")
    }

    /// The first 16 bytes, masked as an error of the frame shows them.
    private static func start(of bytes: [UInt8]) -> String {
        var format = FrameFormat()
        // A frame that never ends, so that its error shows how it begins.
        (format.lengthForm, format.trailer) = (.none, [0xFF, 0xFF, 0xFF, 0xFF])
        var reader = FrameReader(format)
        reader.feed(bytes.prefix(16))
        do throws(FrameError) { try reader.finish() } catch { return error.start }
        return "nothing"
    }

    /// Bytes, of which the card numbers are masked already, so that they do not look like one in an error.
    private static func readable(_ bytes: String) -> String {
        bytes.split(separator: " ").map { $0.hasPrefix("*") ? String($0) : "0x" + $0 }.joined(separator: " ")
    }

    /// Whether the bytes begin with a message of a shipped profile.
    private static func fits(_ bytes: [UInt8], _ name: String) -> Bool {
        guard let profile = MessageProfile.shipped(name) else { return false }
        var reader = FrameReader(profile.frame)
        reader.feed(bytes)
        guard case .body(let body)? = try? reader.next() else { return false }
        return (try? profile.makeCodec().decode(body)) != nil
    }
}
