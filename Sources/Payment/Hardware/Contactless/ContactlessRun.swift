import CardSecrets
import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import Money
import Payments
import SmartCard
import Text

/// The contactless side of one payment: runs Entry Point, verifies the cardholder, asks the host, and takes the outcome
/// over.
struct ContactlessRun: Sendable {
    /// The result of an event in the field.
    enum Result {
        case completed(PaymentIntent)
        /// Cards are waited for again.
        case waits
        /// The card can't pay without contacts, and nothing has left for the host.
        case needsAnotherInterface
    }

    private let driver: ContactlessDriver
    private let combinations: [ReaderCombination]
    private let dependencies: ReaderPayments.PaymentDependencies
    private let terminal: TerminalConfiguration
    private let events: EventRelay
    private let parameters: PaymentIntentParameters
    private let date: CivilDate
    private let created: Timestamp
    /// Whether several cards were in the field last.
    private(set) var isCrowded = false

    /// Prepares a tap; nil where the terminal has no contactless side for the currency.
    init?(
        _ dependencies: ReaderPayments.PaymentDependencies, field: any ContactlessField,
        terminal: TerminalConfiguration, events: EventRelay, parameters: PaymentIntentParameters, created: Timestamp
    ) {
        guard let contactless = dependencies.contactless,
            let configuration = contactless.configuration(parameters.amount.currency, terminal)
        else { return nil }
        combinations = configuration.combinations[.goodsOrServices] ?? []
        driver = ContactlessDriver(
            contactless, configuration, field: field, time: dependencies.time,
            random: dependencies.random, events: events, trace: dependencies.trace)
        (self.dependencies, self.terminal, self.events) = (dependencies, terminal, events)
        (self.parameters, self.created) = (parameters, created)
        date = dependencies.time.localDate()
    }

    // MARK: The wait for a card

    /// Begins the transaction.
    ///
    /// - Returns: Whether cards can be tapped.
    /// - Throws: ``UnderlyingError``
    func begin() async throws(UnderlyingError) -> Bool {
        let step = try await driver.begin(
            TransactionRequest(
                amount: parameters.amount, date: date, sequenceCounter: parameters.stan,
                accountType: parameters.accountType?.code,
                forcedOnline: parameters.forcedOnline || parameters.authorizesOnly,
                allowsOfflineApproval: allowsOfflineApproval, keepsCard: dependencies.host.sealsCardData))
        if case .waitsForCards = step { return true }
        return false
    }

    /// Waits for a change in the field.
    ///
    /// - Returns: Nil when nothing happened in time.
    /// - Throws: ``UnderlyingError``
    func next(timeout: Duration) async throws(UnderlyingError) -> FieldEvent? {
        try await driver.nextEvent(isCrowded: isCrowded, timeout: timeout)
    }

    /// Ends the transaction: a card came on another input, or none came.
    ///
    /// - Throws: ``UnderlyingError``
    func stop() async throws(UnderlyingError) { _ = try await driver.stop() }

    /// Switches the field off.
    func close() async { await driver.close() }

    // MARK: A card

    /// Goes on with a change in the field.
    ///
    /// - Throws: ``CardReaderServiceError``
    mutating func take(_ event: FieldEvent) async throws(CardReaderServiceError) -> Result {
        let step: ContactlessDriver.Step
        do throws(UnderlyingError) { step = try await driver.take(event) } catch {
            throw .paymentMethodCollection(error)
        }
        switch step {
        case .waitsForCards(let isCrowded):
            self.isCrowded = isCrowded
            guard !Task.isCancelled else { throw .paymentMethodCollection(.commandCanceled(from: .app)) }
            return .waits
        case .asksHost(let outcome): return .completed(try await askHost(outcome))
        case .ended(let outcome): return try await conclude(outcome)
        }
    }

    private var allowsOfflineApproval: Bool {
        parameters.offlineObstacle == nil && !parameters.authorizesOnly && !parameters.forcedOnline
    }

    /// Takes over an outcome without the host.
    private func conclude(_ final: FinalOutcome?) async throws(CardReaderServiceError) -> Result {
        guard !Task.isCancelled else { throw .paymentMethodCollection(.commandCanceled(from: .app)) }
        guard let final else { return .needsAnotherInterface }
        switch final.outcome.status {
        case .approved:
            let (record, details) = try read(final, responseCode: .offlineApproved)
            guard allowsOfflineApproval else { throw Self.declined(.declinedByTerminal, details) }
            if let obstacle = OfflineApprovalObstacle(
                final, results: record[EMVTag.verificationResults], amount: parameters.amount, in: combinations)
            {
                throw Self.declined(obstacle.reason, details)
            }
            try await checkExceptionFile(record, details)
            return .completed(
                PaymentIntent(
                    key: parameters.key, status: .requiresCapture, created: created, amount: parameters.amount,
                    metadata: parameters.metadata, details: details, advice: try advice(record, details)))
        case .declined:
            let (_, details) = try read(final, responseCode: .offlineDeclined)
            throw Self.declined(
                final.outcome.isDeclinedByTerminal ? .declinedByTerminal : .declinedByCard, details)
        case .tryAnotherInterface, .endApplication, .onlineRequest, .selectNext, .tryAgain:
            return .needsAnotherInterface
        }
    }

    private static func declined(_ reason: TerminalDeclineReason, _ details: CardDetails) -> CardReaderServiceError {
        .paymentCaptureWithPaymentMethod(.paymentDeclinedByCardReader(reason), details)
    }

    private func advice(
        _ record: HostDataRecord, _ details: CardDetails
    ) throws(CardReaderServiceError) -> AdviceRequest {
        var advice = AdviceRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount,
            lastFour: details.lastFour ?? "", iccData: record.iccData, purpose: .offlineApproval)
        advice.entryMode = .contactless
        do throws(HostDataRecordError) {
            advice.prefix = CardPrefix(try record.primaryAccountNumber())
            if dependencies.host.sealsCardData { advice.card = try record.keptCard() }
        } catch {
            throw Self.unreadable(error)
        }
        return advice
    }

    // MARK: The host

    private func askHost(_ final: FinalOutcome) async throws(CardReaderServiceError) -> PaymentIntent {
        var (record, details) = try read(final, responseCode: nil)
        guard terminal.type.connectivity != .offlineOnly else { throw Self.declined(.declinedByTerminal, details) }
        try await checkExceptionFile(record, details)
        let block = final.outcome.cvm == .onlinePIN ? try await enterPIN(record, &details) : nil
        let request: OnlineAuthorizationRequest
        do throws(HostDataRecordError) { request = try record.request(pinBlock: block) } catch {
            throw Self.unreadable(error)
        }
        let authorizer = HostAuthorizer(
            host: dependencies.host, parameters: parameters, date: date, events: events)
        let exchange = await authorizer.ask(.chip(request))
        let isRefused = await showAnswer(exchange)
        return try await HostDecisionCompletion(
            exchange: exchange, details: details, parameters: parameters, host: dependencies.host, created: created,
            iccData: record.iccData, isRefusedByCard: isRefused
        ).complete()
    }

    /// Asks for the PIN. Until it is entered, the cardholder is not verified.
    private func enterPIN(
        _ record: HostDataRecord, _ details: inout CardDetails
    ) async throws(CardReaderServiceError) -> EncipheredPINBlock {
        let entry = OnlinePINEntry(dependencies: dependencies, terminal: terminal, events: events)
        guard let block = try await entry.block(try pan(of: record)) else {
            details.cardholderVerification = .failed
            throw Self.declined(.pinRequired, details)
        }
        details.cardholderVerification = .onlinePIN
        return block
    }

    /// Declines a card on the till's exception file, and a record without a card number.
    private func checkExceptionFile(
        _ record: HostDataRecord, _ details: CardDetails
    ) async throws(CardReaderServiceError) {
        let pan = try pan(of: record)
        let sequence = record.panSequenceNumber
        guard await dependencies.history?.isOnExceptionFile(pan, sequenceNumber: sequence) == true else { return }
        throw Self.declined(.onExceptionFile, details)
    }

    private func pan(of record: HostDataRecord) throws(CardReaderServiceError) -> PrimaryAccountNumber {
        do throws(HostDataRecordError) { return try record.primaryAccountNumber() } catch {
            throw Self.unreadable(error)
        }
    }

    /// Tells Entry Point the host's answer, and lets the card take it where the kernel wants to see it again.
    ///
    /// The host has decided: whatever happens in the field can end the payment as declined by the card, and not more.
    ///
    /// - Returns: Whether the card declined after the host's answer.
    private func showAnswer(_ exchange: HostAuthorizer.Exchange) async -> Bool {
        var answer = OnlineAuthorizationResult.unableToGoOnline
        if case .answered(let response) = exchange {
            answer = .answered(response.answer)
            if CardDetails.chipCodes.contains(response.responseCode) {
                events.send(.readerMessage(UserInterfaceRequest(.insertCard, .processingError)))
            }
        }
        var step = try? await driver.take(answer)
        while case .waitsForCards(let isCrowded)? = step {
            let wait = ContactlessTerminal.secondTapTimeout
            if let event = try? await driver.nextEvent(isCrowded: isCrowded, timeout: wait) {
                step = try? await driver.take(event)
            } else {
                step = try? await driver.stop()
            }
        }
        guard case .ended(let final?)? = step, final.followsHostAnswer else { return false }
        return final.outcome.status == .declined
    }

    // MARK: The kernel's data

    private func read(
        _ final: FinalOutcome, responseCode: AuthorizationResponseCode?
    ) throws(CardReaderServiceError) -> (HostDataRecord, CardDetails) {
        do throws(HostDataRecordError) {
            let record = try HostDataRecord(
                final.outcome.dataRecord ?? SecretDataObject([]), coveredResults: final.outcome.coveredResults)
            return (record, CardDetails(final, record, responseCode))
        } catch {
            throw Self.unreadable(error)
        }
    }

    private static func unreadable(_ error: HostDataRecordError) -> CardReaderServiceError {
        .paymentMethodCollection(.cardTapNotRead(error.description))
    }
}

extension CardDetails {
    /// Creates the storable card details from a kernel's outcome and its data for the host.
    init(_ final: FinalOutcome, _ record: HostDataRecord, _ responseCode: AuthorizationResponseCode?) {
        func text(_ tag: BERTag) -> String? {
            record[tag].map { String(decoding: $0.filter { (0x20...0x7E).contains($0) }, as: UTF8.self) }
        }
        func digits(_ tag: BERTag) -> String? { record[tag].map { $0.hexadecimal } }
        let aid = record[EMVTag.dfName] ?? final.aid
        let brand = aid.flatMap { CardBrand(aid: $0) }
        let lastFour: String?
        do throws(HostDataRecordError) { lastFour = try record.primaryAccountNumber().lastFour } catch {
            lastFour = nil
        }
        let counter = record[EMVTag.transactionCounter].flatMap { value -> UInt16? in
            value.count == 2 ? UInt16(value[0]) << 8 | UInt16(value[1]) : nil
        }
        self.init(
            brand: brand?.rawValue ?? "unknown", lastFour: lastFour, entryMode: .contactless,
            cardholderVerification: CardholderVerification(final.outcome.cvm), aid: aid?.hexadecimal,
            applicationName: text(EMVTag.preferredName) ?? text(EMVTag.applicationLabel) ?? brand?.displayName
                ?? aid?.hexadecimal,
            accountType: aid.flatMap { AccountType(application: $0) },
            terminalVerificationResults: digits(EMVTag.verificationResults),
            applicationCryptogram: digits(EMVTag.applicationCryptogram),
            cryptogramType: record[EMVTag.cryptogramInformation]?.first.map(Self.cryptogramName),
            issuerApplicationData: digits(EMVTag.issuerApplicationData), applicationTransactionCounter: counter,
            authorizationResponseCode: responseCode?.description)
        if final.kernel == .kernel8 { takeAuthentication(record[EMVTag.verificationResults]) }
        languages = [final.outcome.uiOnOutcome, final.outcome.uiOnRestart].lazy.compactMap(\.self)
            .map(\.languages).first { !$0.isEmpty }
    }

    /// Reads the result of local authentication from byte 1 of kernel 8's verification results.
    private mutating func takeAuthentication(_ bytes: [UInt8]?) {
        guard let results = bytes.flatMap({ Kernel8VerificationResults(bytes: $0) }),
            !results.contains(.localAuthenticationNotPerformed)
        else { return }
        offlineDataAuthentication = .local
        let hasFailed = results.contains(.localAuthenticationFailed)
        offlineDataAuthenticationResult = hasFailed ? "failed" : "passed"
        if hasFailed { offlineDataAuthenticationReason = "the keys of the card's channel are not certified" }
    }

    /// The name of a cryptogram by the cryptogram information data (9F27).
    private static func cryptogramName(_ information: UInt8) -> String {
        switch information & 0xC0 {
        case 0x40: "TC"
        case 0x80: "ARQC"
        default: "AAC"
        }
    }
}

extension CardDetails.CardholderVerification {
    /// The verification that a contactless kernel's outcome names. An online PIN is not entered yet.
    init(_ cvm: ContactlessOutcome.CVM?) {
        self =
            switch cvm {
            case .noCVM, .onlinePIN, nil: .none
            case .signature: .signature
            case .confirmationCodeVerified: .device
            }
    }
}
