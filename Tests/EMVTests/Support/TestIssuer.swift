import CardSecrets
import EMV
import SmartCard
import Synchronization

/// An issuer that answers as the test says, and remembers what it was sent.
final class TestIssuer: OnlineAuthorizer {
    struct Seen: Sendable {
        var iccData: [BERTLV]
        var lastFour: String
        var expiry: [UInt8]
        var hasTrackTwo: Bool
        var hasPINBlock: Bool
        var panSequenceNumber: UInt8?
    }

    private let result: OnlineAuthorizationResult
    private let duringRequest: @Sendable () -> Void
    private let state = Mutex<[Seen]>([])

    init(_ result: OnlineAuthorizationResult, duringRequest: @escaping @Sendable () -> Void = {}) {
        (self.result, self.duringRequest) = (result, duringRequest)
    }

    convenience init(code: String, authenticationData: [UInt8]? = nil, before: [[UInt8]] = [], after: [[UInt8]] = []) {
        self.init(
            .answered(
                IssuerAnswer(
                    authorisationResponseCode: Array(code.utf8), authorisationCode: code == "00" ? "123456" : nil,
                    issuerAuthenticationData: authenticationData, scriptsBeforeFinal: before,
                    scriptsAfterFinal: after)))
    }

    var requests: [Seen] { state.withLock { $0 } }

    func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        let seen = Seen(
            iccData: request.iccData, lastFour: request.pan.lastFour, expiry: request.expiry,
            hasTrackTwo: request.hasTrackTwo, hasPINBlock: request.pinBlock != nil,
            panSequenceNumber: request.panSequenceNumber)
        state.withLock { $0.append(seen) }
        duringRequest()
        return result
    }
}

extension OnlineAuthorizationRequest {
    /// Whether track 2 goes along.
    var hasTrackTwo: Bool {
        switch trackTwo {
        case .some: true
        case .none: false
        }
    }
}
