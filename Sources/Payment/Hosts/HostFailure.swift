public import Connections
public import ISO8583

/// Why a request has no answer. The two cases are those of a payment host's errors, so that a payment knows what to do.
public enum HostFailure: Error, Hashable, Sendable {
    /// Certainly not one byte of the request left: it is safe to send it again.
    case notSent(HostProblem)
    /// The host may have the request: reverse it, or ask for its result.
    case outcomeUnknown(HostProblem)

    /// The reason without the fate of the request.
    public var problem: HostProblem {
        switch self {
        case .notSent(let problem), .outcomeUnknown(let problem): problem
        }
    }
}

/// What is wrong with a host, its connection, or a request.
public enum HostProblem: Hashable, Sendable {
    /// The connection could not be made, or it ended.
    case connection(ConnectionFailure)
    /// The host closed the connection.
    case hangUp
    /// The host's bytes are no frames of the profile.
    case frame(FrameError)
    /// The request can't be written as the profile says.
    case message(MessageError)
    /// The profile has no such message.
    case noMessage(MessageKind)
    /// The profile demands a field for which there is no value.
    case missingField(Int, MessageKind)
    /// The profile demands a MAC, and there are no keys.
    case needsKey(MessageKind)
    /// The MAC could not be made.
    case mac(String)
    /// The exchange of keys failed, so that there are none.
    case keyExchange(String)
    /// The profile has no way for the PIN of this terminal.
    case pin(String)
    /// The message does not fit into a frame.
    case tooLong
    /// A request with the same key waits for its answer.
    case sameKey
    /// The host refused the sign-on; the meaning comes from the profile.
    case signOnRefused(code: String, meaning: String?)
    /// No answer came in time.
    case noAnswer
    /// Answers came, and no MAC with them or a wrong one, so that they count as none; the text names the key.
    case wrongMAC(key: String, isMissing: Bool)
    /// An idle connection no longer answers: it is half open.
    case halfOpen
    /// The last connection failed, and the pause before the next one is not over.
    case pausing(Duration)
    /// The waiting task was canceled.
    case canceled
    /// The link was closed.
    case closed
}

extension HostFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notSent(let problem): "nothing was sent: \(problem)"
        case .outcomeUnknown(let problem): "the outcome is unknown: \(problem)"
        }
    }
}

extension HostProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .connection(let failure): "\(failure)"
        case .hangUp: "the host closed the connection"
        case .frame(let error): "\(error)"
        case .message(let error): "\(error)"
        case .noMessage(let kind): "the profile has no message \(kind.rawValue)"
        case .missingField(let field, let kind): "the message \(kind.rawValue) needs field \(field)"
        case .needsKey(let kind): "the message \(kind.rawValue) needs a MAC, and there is no key"
        case .mac(let reason): "the MAC cannot be made: \(reason)"
        case .keyExchange(let reason): "the keys could not be exchanged: \(reason)"
        case .pin(let reason): "the PIN cannot be sent: \(reason)"
        case .tooLong: "the message is too long for a frame"
        case .sameKey: "a request with the same trace number waits for its answer"
        case .signOnRefused(let code, let meaning):
            "the host refused the sign-on with \(code)" + (meaning.map { " (\($0))" } ?? "")
        case .noAnswer: "the host did not answer in time"
        case .wrongMAC(let key, let isMissing):
            (isMissing ? "the answer had no MAC" : "the answer had a wrong MAC")
                + ", so it counts as none; compare the check value of the key \(key) with the acquirer"
        case .halfOpen: "the idle connection no longer answers"
        case .pausing(let rest): "the last connection failed; the next try is in \(rest.components.seconds) s"
        case .canceled: "canceled"
        case .closed: "the link to the host is closed"
        }
    }
}

/// An event of a link besides the answers to requests. None has card data.
public enum HostEvent: Hashable, Sendable {
    /// The connection is made, and the sign-on, where the profile has one, is accepted.
    case connected(ConnectionPeer)
    /// The connection ended.
    case disconnected(HostProblem)
    /// A message that is no answer to a waiting request.
    case unmatched(UnmatchedMessage)
    /// A frame whose content is no message of the profile.
    case malformed(MessageError)
    /// A keep-alive frame came.
    case keepAlive
}

/// A message that answers nothing, and changes nothing.
public struct UnmatchedMessage: Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// Its request was given up before.
        case late
        /// Its request has an answer.
        case duplicate
        /// A waiting request has the same trace number, and another terminal.
        case otherTerminal
        /// It has the key of a waiting request, and other values in these fields.
        case changed([Int])
        /// It has the key of a waiting request, and not its header.
        case wrongHeader
        /// It has the key of a waiting request, and no MAC.
        case noMAC
        /// It has the key of a waiting request, and its MAC is wrong: another key, or changed bytes.
        case wrongMAC
        /// It is a request, and no answer.
        case request
        /// No request of this link has its key.
        case unknown
    }

    public let reason: Reason
    public let type: MessageType
    /// Field 11, with digits that may be a card number masked; empty without one.
    public let traceNumber: String
    /// The response code of field 39, masked in the same way; nil without one. A late approval matters to a merchant.
    public let responseCode: String?

    public var description: String {
        let words: String =
            switch reason {
            case .late: "came too late"
            case .duplicate: "came twice"
            case .otherTerminal: "is for another terminal"
            case .changed(let fields): "has other values in field \(fields.map(String.init).joined(separator: ", "))"
            case .wrongHeader: "has the header of another connection"
            case .noMAC: "has no MAC"
            case .wrongMAC: "has a wrong MAC"
            case .request: "is a request"
            case .unknown: "answers no request"
            }
        return "\(type) with trace number \(traceNumber.isEmpty ? "none" : traceNumber) \(words)"
    }
}
