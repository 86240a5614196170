public import Determinism
public import EMV
public import EntryPoint
import SmartCard

/// Kernel 8 (EMV Contactless Book C-8): a pure state machine between Entry Point and a card.
///
/// It makes commands and takes their answers; it has no card, no clock, and no display. The reader measures the time of
/// each exchange, which counts for relay resistance alone. Configuration and the data of the transaction come with the
/// activation (``Kernel8Configuration``). Entry Point activates a new value for every selected application.
///
///     let kernel8 = KernelRegistration(.kernel8) {
///         Kernel8(authorities: keys, now: now(), random: SystemRandomSource())
///     }
public struct Kernel8: ContactlessKernel {
    /// The result of the activation; nil before its end.
    public private(set) var result: Kernel8Result?
    /// The result of local authentication, with the reason of a failure, at the end of the activation.
    public private(set) var authentication = Kernel8Authentication.notPerformed

    private let authorities: [ECCAuthorityKey]
    private let revoked: Set<CertificateRevocation>
    private let now: CivilDate
    private let random: any RandomSource
    private var state = State.idle
    private var transaction: Kernel8Transaction?

    /// The answer that the kernel waits for.
    private enum State: Sendable {
        case idle, processingOptions
        /// Relay resistance, with the number of the exchange from 1.
        case relayResistance(Int)
        case record, readData, cryptogram, writeData
    }

    /// Creates a kernel for one selected application.
    ///
    /// - Parameters:
    ///   - authorities: the certification authorities' keys of the reader.
    ///   - revoked: the payment systems' revocation lists.
    ///   - now: the time in UTC, with which the expiry of certificates is compared.
    ///   - random: a secure source for the kernel's key pair.
    public init(
        authorities: [ECCAuthorityKey], revoked: Set<CertificateRevocation> = [], now: CivilDate,
        random: any RandomSource
    ) {
        (self.authorities, self.revoked, self.now, self.random) = (authorities, revoked, now, random)
    }

    public mutating func activate(_ activation: KernelActivation) -> KernelStep {
        (result, transaction, state, authentication) = (nil, nil, .idle, .notPerformed)
        let configuration: Kernel8Configuration
        do throws(Kernel8ConfigurationError) {
            let read = try Kernel8Configuration(activation.data)
            configuration = activation.demandsIssuer ? read.demandingIssuer() : read
        } catch {
            return finish(
                Kernel8Database(activation.data)
                    .result(nil, Kernel8Parameters(), message: nil, error: .configuration(error)))
        }
        let authorities = self.authorities
        do throws(InitiationError) {
            transaction = try Kernel8Transaction(
                configuration, activation.data, answer: activation.selection?.data ?? [],
                certificates: { rid in Self.suites(of: authorities, rid) }, random: random)
        } catch {
            return finish(Self.result(of: error, configuration))
        }
        return transmit(transaction?.processingOptions, .processingOptions)
    }

    public mutating func receive(_ input: KernelInput) -> KernelStep {
        do throws(Kernel8Error) {
            switch input {
            case .response(let response, let elapsed): return try take(response, elapsed)
            case .failure(let error):
                // The cryptogram is made and checked, so an envelope that was not written decides nothing.
                if case .writeData = state { return complete() }
                throw .exchange(error)
            }
        } catch {
            guard let transaction else {
                return finish(Kernel8Database([:]).result(nil, Kernel8Parameters(), message: nil, error: error))
            }
            return finish(transaction.end(error))
        }
    }

    // MARK: The steps

    private mutating func take(_ response: ResponseAPDU, _ elapsed: Duration) throws(Kernel8Error) -> KernelStep {
        switch state {
        case .idle: throw .malformedAnswer(offset: 0)
        case .processingOptions:
            try Self.check(response, .getProcessingOptions)
            try transaction?.takeProcessingOptions(response.data)
            guard transaction?.performsRelayResistance == true else { return try read() }
            return transmit(transaction?.relayResistanceCommand, .relayResistance(1))
        case .relayResistance(let exchange):
            try Self.check(response, .exchangeRelayResistanceData)
            let repeats = try transaction?.takeRelayResistance(response.data, elapsed: elapsed, exchange: exchange)
            guard repeats == true else { return try read() }
            return transmit(transaction?.relayResistanceCommand, .relayResistance(exchange + 1))
        case .record:
            try Self.check(response, .readRecord)
            try transaction?.takeRecord(response.data)
            return try read()
        case .readData:
            transaction?.takeEnvelope(response)
            return try read()
        case .cryptogram:
            try Self.check(response, .generateAC)
            let (keys, revoked, now) = (authorities, self.revoked, self.now)
            try transaction?.takeCryptogram(response.data, authorities: keys, revoked: revoked, now: now)
            return write()
        case .writeData: return transaction?.takeWritten(response) == true ? write() : complete()
        }
    }

    /// Reads what is left, then asks for the cryptogram.
    private mutating func read() throws(Kernel8Error) -> KernelStep {
        if let command = transaction?.nextRecordCommand { return transmit(command, .record) }
        if let command = transaction?.nextReadCommand { return transmit(command, .readData) }
        return transmit(try transaction?.cryptogramCommand(), .cryptogram)
    }

    private mutating func write() -> KernelStep {
        guard let command = transaction?.nextWriteCommand() else { return complete() }
        return transmit(command, .writeData)
    }

    /// Ends with the decision. The card may be taken away.
    private mutating func complete() -> KernelStep {
        guard let result = transaction?.finish() else {
            return finish(Kernel8Database([:]).result(nil, Kernel8Parameters(), message: nil, error: nil))
        }
        let languages = transaction?.languages ?? []
        let message = Kernel8Message(identifier: .cardRead, status: .cardReadSuccessfully)
        return finish(result, messages: [try? UserInterfaceRequest(bytes: message.bytes(languages: languages))])
    }

    private mutating func finish(
        _ result: Kernel8Result, messages: [UserInterfaceRequest?] = []
    ) -> KernelStep {
        authentication = transaction?.localAuthentication ?? .notPerformed
        // The keys of the channel and the card's data are overwritten with their last copy.
        (self.result, state, transaction) = (result, .idle, nil)
        return KernelStep(.finish(result.outcome), messages: messages.compactMap(\.self))
    }

    /// All commands have at most 255 bytes of data, because the lists of the card are limited.
    private mutating func transmit(_ command: CommandAPDU?, _ next: State) -> KernelStep {
        guard let command else {
            let error = Kernel8Error.listTooLong(EMVTag.cdol1)
            return finish(
                transaction?.end(error)
                    ?? Kernel8Database([:]).result(nil, Kernel8Parameters(), message: nil, error: error))
        }
        state = next
        return KernelStep(.transmit(command))
    }

    private static func check(_ response: ResponseAPDU, _ command: Kernel8Error.Command) throws(Kernel8Error) {
        guard response.status == .success else { throw .refused(command, response.status) }
    }

    private static func suites(of authorities: [ECCAuthorityKey], _ rid: [UInt8]) -> [CertificateSuite] {
        let found = CertificateSuite.allCases.filter { suite in
            authorities.contains { $0.rid == rid && $0.suite == suite }
        }
        return found.isEmpty ? [.p256] : found
    }

    /// The result of an error in the answer to SELECT, or before the channel.
    private static func result(of failure: InitiationError, _ configuration: Kernel8Configuration) -> Kernel8Result {
        var parameters = Kernel8Parameters()
        guard !failure.selectsNext else {
            (parameters.status, parameters.start) = (.selectNext, .c)
            return failure.database.result(configuration, parameters, message: nil, error: failure.error)
        }
        parameters.flags |= Kernel8Parameters.outcomeMessageFlag
        return failure.database.result(
            configuration, parameters, message: Kernel8Message(identifier: .useAnotherCard), error: failure.error)
    }
}
