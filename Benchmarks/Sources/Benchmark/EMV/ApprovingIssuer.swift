import CardSecrets
import EMV
import Simulator
import SmartCard
import Synchronization

/// An issuer that does the cryptography of the simulated issuer, approves every genuine cryptogram, and keeps no state.
final class ApprovingIssuer: OnlineAuthorizer {
    private let keys: TestKeys
    private let meter: WorkMeter?
    /// The data of the last genuine cryptogram.
    private let last = Mutex<ApplicationCryptogram.Input?>(nil)

    init(keys: TestKeys, meter: WorkMeter?) { (self.keys, self.meter) = (keys, meter) }

    var lastInput: ApplicationCryptogram.Input? { last.withLock { $0 } }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        let before = Machine.threadProcessorSeconds
        let answer = try? answer(request)
        meter?.noteIssuer(seconds: Machine.threadProcessorSeconds - before)
        return .answered(answer ?? IssuerAnswer(authorizationResponseCode: Array("05".utf8)))
    }

    /// - Returns: nil when the cryptogram is not genuine.
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
            authorizationResponseCode: approved, authorizationCode: "123456",
            issuerAuthenticationData: try IssuerAuthenticationData.make(
                IssuerAuthenticationData.Context(
                    version: version, atc: input.atc, unpredictableNumber: input.unpredictableNumber, arqc: arqc),
                responseCode: approved, cardStatusUpdate: CardStatusUpdate(approves: true), masterKey: masterKey))
    }
}
