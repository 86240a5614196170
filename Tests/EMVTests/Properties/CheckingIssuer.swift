import EMV
import SmartCard
import Synchronization

/// An issuer that approves only what its own card has signed, whatever it was told to answer.
final class CheckingIssuer: OnlineAuthorizer {
    private let answer: OnlineAuthorizationResult
    private let genuine: Set<[UInt8]>?
    private let seen = Mutex<[OnlineAuthorizationResult]>([])

    /// - Parameters:
    ///   - answer: what it answers.
    ///   - genuine: the cryptograms (9F26) that the card makes; nil to believe every one.
    init(_ answer: OnlineAuthorizationResult, genuine: Set<[UInt8]>?) {
        (self.answer, self.genuine) = (answer, genuine)
    }

    /// What it answered, once for each time that it was asked.
    var answers: [OnlineAuthorizationResult] { seen.withLock { $0 } }

    func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        var answer = answer
        let cryptogram = request.iccData.first(0x9F26)?.value
        if let genuine, !genuine.contains(cryptogram ?? []), case .answered = answer {
            answer = .answered(IssuerAnswer(authorisationResponseCode: Array("05".utf8)))
        }
        seen.withLock { $0.append(answer) }
        return answer
    }
}
