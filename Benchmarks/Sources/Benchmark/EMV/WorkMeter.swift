import SmartCard
import Synchronization

/// Measures the shares of card and issuer in the work of a transaction, and records the commands to the card.
final class WorkMeter: Sendable {
    struct Work: Sendable {
        /// Processor time, in seconds.
        var card = 0.0
        var issuer = 0.0
        var commands = 0
        /// Signatures over the terminal's data alone (DDA).
        var dynamicSignatures = 0
        /// Signatures over cryptogram and transaction (CDA).
        var combinedSignatures = 0
        /// PINs that were enciphered under the card's key.
        var encipheredPINs = 0

        /// The number of uses of the card's private key, and of its public key by the kernel.
        var cardKeyOperations: Int { dynamicSignatures + combinedSignatures + encipheredPINs }
    }

    private let work = Mutex(Work())

    var total: Work { work.withLock { $0 } }

    func note(_ command: CommandAPDU, seconds: Double) {
        work.withLock { work in
            work.card += seconds
            work.commands += 1
            switch (command.ins, command.p1, command.p2) {
            case (0x88, _, _): work.dynamicSignatures += 1
            case (0xAE, let p1, _) where p1 & 0x10 != 0: work.combinedSignatures += 1
            case (0x20, _, 0x88): work.encipheredPINs += 1
            default: break
            }
        }
    }

    func noteIssuer(seconds: Double) { work.withLock { $0.issuer += seconds } }
}
