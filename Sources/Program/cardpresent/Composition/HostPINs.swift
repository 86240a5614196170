import CardSecrets
import Connections
import Cryptography
import Determinism
import EMV
import HostSecurity
import Hosts
import Simulator

/// Enciphers PINs under the key that the host gave, which is in memory only, or under the next key of the terminal's
/// initial key (DUKPT). Connects and exchanges keys before when there is none yet.
struct HostPINs: PINEnciphering {
    let link: HostLink
    let address: TCPAddress
    let block: SessionPINBlock

    func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        let (link, address) = (link, address)
        let found: PINKey?
        do throws(HostFailure) {
            found = try await RunQueue.outside { () async throws(HostFailure) in
                try await Waiting.on("Waiting for \(address)") { () async throws(HostFailure) in
                    try await link.pinKey()
                }
            }
        } catch {
            StandardError.write("cardpresent: the PIN cannot be sent: \(error.problem)\n")
            return nil
        }
        guard let found else { return nil }
        let random = SystemRandomSource().bytes(8)
        do throws(SessionPINError) {
            // A token answers in its own time.
            let (block, secrets) = (block, Secrets(pin: pin.duplicate(), pan: pan.duplicate()))
            let bytes = try await RunQueue.outside { () async throws(SessionPINError) in
                try await block.encipher(secrets.pin, pan: secrets.pan, key: found.key, random: random)
            }
            return EncipheredPINBlock(block: bytes, keySerialNumber: found.keySerialNumber?.bytes ?? [])
        } catch {
            StandardError.write("cardpresent: the PIN cannot be sent: \(error)\n")
            return nil
        }
    }

    /// The contents of a PIN block, for a closure: it can't capture values with one owner.
    private final class Secrets: Sendable {
        let pin: SensitiveBytes
        let pan: PrimaryAccountNumber

        init(pin: consuming SensitiveBytes, pan: consuming PrimaryAccountNumber) {
            self.pin = pin
            self.pan = pan
        }
    }
}
