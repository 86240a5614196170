import CardSecrets
import Cryptography
import Determinism
import EMV
import HostSecurity
import ISO8583
import Simulator
import Text

/// Takes PIN blocks from the keys of terminals to those of the issuer, as acquirers do: a block is opened under the key
/// of the terminal, and closed again under a test key of the issuer.
struct PINTranslation: Sendable {
    private let profile: MessageProfile
    private let keys: AcquirerKeys
    private let issuer: SimulatedPINPad

    /// - Throws: ``AcquirerSetupError``
    init(
        _ profile: MessageProfile, _ keys: AcquirerKeys, issuer testKeys: TestKeys, random: any RandomSource
    ) throws(AcquirerSetupError) {
        (self.profile, self.keys) = (profile, keys)
        let scheme: DUKPTKeySerialNumber.Scheme = profile.security.pin?.format == 4 ? .aes : .tripleDES
        do throws(DUKPTError) {
            issuer = try SimulatedPINPad(keys: testKeys, scheme: scheme, random: random)
        } catch { throw .issuer("\(error)") }
    }

    /// Reads the PIN block of a message.
    ///
    /// - Returns: nil for a message without a PIN.
    /// - Throws: ``AcquirerRefusal``
    func block(of message: ISOMessage, terminal: String) async throws(AcquirerRefusal) -> EncipheredPINBlock? {
        guard let block = message.withBytes(of: 52, { [UInt8]($0) }) else { return nil }
        let field = profile.security.keySerialNumberField ?? 53
        var serial = message.withBytes(of: field) { [UInt8]($0) }
        if profile.table[field]?.attribute != .b {
            serial = serial.flatMap { [UInt8](hexadecimal: String(decoding: $0, as: UTF8.self)) } ?? serial
        }
        let found = profile.security.pin.map { keys.keys($0.key, terminal: terminal) } ?? []
        guard let rule = profile.security.pin, !found.isEmpty else {
            // Without a key file, blocks are under the test keys of the issuer.
            guard let serial, !serial.isEmpty else { throw .wrongPINBlock }
            return EncipheredPINBlock(block: block, keySerialNumber: serial)
        }
        guard let form = SessionPINBlock(format: rule.format), let pan = try? message.primaryAccountNumber() else {
            throw .wrongPINBlock
        }
        for key in found {
            guard let pin = await open(block, form, rule.scheme, pan: pan, key: key, serial) else { continue }
            guard let closed = try? issuer.encipher(pin, pan: pan) else { throw .unreadablePIN }
            return closed
        }
        throw .unreadablePIN
    }

    private func open(
        _ block: [UInt8], _ form: SessionPINBlock, _ scheme: SecurityRules.KeyScheme,
        pan: borrowing PrimaryAccountNumber, key: HostKey, _ serial: [UInt8]?
    ) async -> SensitiveBytes? {
        guard scheme != .masterSession else { return try? await form.open(block, pan: pan, key: key) }
        return try? form.open(block, pan: pan, baseDerivationKey: key, keySerialNumber: serial ?? [])
    }
}
