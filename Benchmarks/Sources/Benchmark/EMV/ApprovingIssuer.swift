internal import CardSecrets
internal import EMV
internal import Simulator
internal import SmartCard
internal import Synchronization

/// An issuer that computes what the simulated one does, approves whatever is genuine, and remembers nothing of it.
final class ApprovingIssuer: OnlineAuthorizer {
    private let keys: TestKeys
    private let meter: WorkMeter?
    /// What the last genuine cryptogram was made over.
    private let last = Mutex<ApplicationCryptogram.Input?>(nil)

    init(keys: TestKeys, meter: WorkMeter?) { (self.keys, self.meter) = (keys, meter) }

    var lastInput: ApplicationCryptogram.Input? { last.withLock { $0 } }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        let before = Machine.threadProcessorSeconds
        let answer = try? answer(request)
        meter?.noteIssuer(seconds: Machine.threadProcessorSeconds - before)
        return .answered(answer ?? IssuerAnswer(authorisationResponseCode: Array("05".utf8)))
    }

    /// - Returns: nil when the cryptogram is not the card's.
    private func answer(_ request: borrowing OnlineAuthorizationRequest) throws -> IssuerAnswer? {
        let objects = request.iccData
        func value(_ tag: BERTag) -> [UInt8]? { objects.first { $0.tag == tag }?.value }
        let input = try ApplicationCryptogram.Input(value)
        let version = input.issuerApplicationData.version
        let issuerKey = keys.withMasterKeys(version.cipher) { $0.applicationCryptogram.duplicate() }
        let masterKey = try version.masterKey(
            issuerMasterKey: issuerKey, pan: request.pan, panSequenceNumber: request.panSequenceNumber)
        let arqc = try ApplicationCryptogram.compute(input, masterKey: masterKey)
        guard arqc == value(0x9F26) else { return nil }
        last.withLock { $0 = input }
        let approved = Array("00".utf8)
        return IssuerAnswer(
            authorisationResponseCode: approved, authorisationCode: "123456",
            issuerAuthenticationData: try IssuerAuthenticationData.make(
                IssuerAuthenticationData.Context(
                    version: version, atc: input.atc, unpredictableNumber: input.unpredictableNumber, arqc: arqc),
                responseCode: approved, cardStatusUpdate: CardStatusUpdate(approves: true), masterKey: masterKey))
    }
}
