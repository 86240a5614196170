internal import SmartCard
internal import Synchronization

/// What of a transaction's work is the card's and what the issuer's, and which commands the card got.
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
        /// PINs that came enciphered under the card's key.
        var encipheredPINs = 0

        /// How often the card's private key is applied, and its public key by the kernel.
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
