public import Determinism
public import SmartCard

/// Runs payments with contact chip cards according to EMV 4.4 Books 3 and 4. It does no I/O: card, cardholder, and
/// issuer are protocols.
public struct ContactKernel: Sendable {
    private let terminal: TerminalConfiguration
    private let cardholder: any CardholderInterface
    private let authorizer: any OnlineAuthorizer
    private let history: (any CardHistory)?
    private let random: any RandomSource
    private let recording: (any TerminalDataRecording)?

    /// - Parameters:
    ///   - terminal: the terminal configuration.
    ///   - cardholder: chooses the application and enters the PIN.
    ///   - authorizer: sends the online authorization request. An implementation with a journal writes to it before it
    ///     sends anything.
    ///   - history: the exception file and earlier payments of the same card; nil if the terminal keeps neither.
    ///   - random: for the unpredictable number, random selection and PIN encipherment.
    ///   - recording: the terminal data of a recorded transaction, for a replay; nil in a payment.
    public init(
        terminal: TerminalConfiguration, cardholder: any CardholderInterface, authorizer: any OnlineAuthorizer,
        history: (any CardHistory)? = nil, random: any RandomSource, recording: (any TerminalDataRecording)? = nil
    ) {
        (self.terminal, self.cardholder, self.authorizer) = (terminal, cardholder, authorizer)
        (self.history, self.random, self.recording) = (history, random, recording)
    }

    /// Runs one payment, starting with application selection, with a card that has just been reset.
    ///
    /// Canceling the task stops the payment until it goes online. After that it runs to completion, and the outcome has
    /// the result.
    ///
    /// - Parameters:
    ///   - request: the requested transaction.
    ///   - channel: the card.
    ///   - observe: receives each state that the kernel enters.
    /// - Returns: the outcome, which also represents errors.
    public func run(
        _ request: TransactionRequest, on channel: any CardChannel,
        observe: @escaping @Sendable (KernelState) -> Void = { _ in }
    ) async -> KernelOutcome {
        var transaction = Transaction(request: request, terminal: terminal, recording: recording)
        let decision: TransactionDecision
        do throws(KernelStop) {
            decision = try await run(&transaction, CardSession(channel: channel, observe: observe))
        } catch {
            decision = error.decision
        }
        observe(.ended(decision))
        return KernelOutcome(decision, transaction)
    }

    private func run(_ transaction: inout Transaction, _ session: CardSession) async throws(KernelStop)
        -> TransactionDecision
    {
        do throws(TransactionRequestError) { try transaction.request.check() } catch {
            throw .failed(.request(error))
        }
        try await initiate(&transaction, session)
        try await ApplicationReading(session: session).perform(transaction)
        // A list that is not valid ends the transaction when it is used.
        if let list = try? transaction.list(EMVTag.cdol1) {
            await AccountSelection(cardholder: cardholder).perform(transaction, for: list)
        }
        try await OfflineDataAuthentication(session: session).perform(transaction)
        session.observe(.processingRestrictions)
        try ProcessingRestrictions.perform(transaction)
        try await CardholderVerification(session: session, cardholder: cardholder, random: random)
            .perform(transaction)
        try await TerminalRiskManagement(session: session, history: history, random: random).perform(transaction)
        return try await decide(transaction, session)
    }

    /// Selects applications until one accepts GET PROCESSING OPTIONS (EMV Book 1 §12, Book 3 §10.1).
    private func initiate(_ transaction: inout Transaction, _ session: CardSession) async throws(KernelStop) {
        session.observe(.selectingApplication)
        let selection = ApplicationSelection(session: session, terminal: terminal, cardholder: cardholder)
        var candidates = try await selection.findCandidates()
        var refusal: KernelStop?
        while true {
            let application: SelectedApplication
            do throws(KernelStop) { application = try await selection.selectOne(of: &candidates) } catch {
                if case .failed(.noApplication) = error, let refusal { throw refusal }
                throw error
            }
            transaction = Transaction(
                request: transaction.request, terminal: terminal, application: application,
                unpredictableNumber: random.bytes(4), recording: recording)
            do throws(KernelStop) {
                return try await ApplicationInitiation(session: session, cardholder: cardholder)
                    .perform(transaction)
            } catch {
                guard case .applicationRefused = error else { throw error }
                refusal = error
                candidates.remove(application.candidate)
                session.observe(.selectingApplication)
            }
        }
    }

    /// Performs terminal and card action analysis, online processing, and completion (EMV Book 3 §10.7 to §10.11).
    private func decide(
        _ transaction: Transaction, _ session: CardSession
    ) async throws(KernelStop) -> TransactionDecision {
        let request = TerminalActionAnalysis(transaction).first(transaction.verificationResults)
        session.observe(.terminalActionAnalysis(request.cryptogram))
        transaction.responseCode = request.responseCode
        session.observe(.cardActionAnalysis)
        let answer = try await CryptogramGeneration(session: session)
            .perform(request.cryptogram, EMVTag.cdol1, transaction)
        if answer.type != .aac, ExtendedAuthentication.hasFailed(transaction) {
            return try await decideWithoutSignature(answer.type, transaction, session)
        }
        switch answer.type {
        case .tc where answer.isAuthentic: return .approvedOffline
        case .tc:
            transaction.responseCode = .offlineDeclined
            return .declinedOffline
        case .arqc where !answer.isAuthentic: return try await refuse(transaction, session)
        case .arqc:
            return try await goOnline(transaction, session) { await $0.perform($1, transaction) }
        case .aac:
            transaction.responseCode = .offlineDeclined
            return request.cryptogram == .aac ? .declinedOffline : .declinedByCard
        }
    }

    /// Asks the issuer, and completes the payment with the answer.
    private func goOnline(
        _ transaction: Transaction, _ session: CardSession,
        _ complete: (Completion, OnlineProcessing.Answer) async -> TransactionDecision
    ) async throws(KernelStop) -> TransactionDecision {
        transaction.responseCode = nil
        let answer = try await OnlineProcessing(authorizer: authorizer, observe: session.observe).perform(transaction)
        var completing = session
        completing.outlivesCancellation = true
        return await complete(Completion(session: completing), answer)
    }

    /// Decides about a TC or an ARQC after XDA has failed: the action codes for denial count again, and otherwise the
    /// issuer decides about either. After a TC the card takes no second GENERATE AC (EMV Book 4 §6.3.2.2.4).
    private func decideWithoutSignature(
        _ type: CryptogramType, _ transaction: Transaction, _ session: CardSession
    ) async throws(KernelStop) -> TransactionDecision {
        guard !TerminalActionAnalysis(transaction).denies(transaction.verificationResults) else {
            if type == .arqc { return try await refuse(transaction, session) }
            transaction.responseCode = .offlineDeclined
            return .declinedOffline
        }
        return try await goOnline(transaction, session) { completion, answer in
            type == .tc
                ? await completion.performWithoutCryptogram(answer, transaction)
                : await completion.perform(answer, transaction)
        }
    }

    /// Declines a payment whose ARQC has no valid CDA or XDA signature: does not go online, and requests an AAC from
    /// the card (EMV Book 4 §6.3.2.1, §6.3.2.2.4).
    private func refuse(
        _ transaction: Transaction, _ session: CardSession
    ) async throws(KernelStop) -> TransactionDecision {
        transaction.responseCode = .offlineDeclined
        session.observe(.completion(.aac))
        do throws(KernelStop) {
            _ = try await CryptogramGeneration(session: session).perform(.aac, EMVTag.cdol2, transaction)
        } catch {
            // The payment is declined even if the card fails here.
            guard case .failed = error else { throw error }
        }
        return .declinedOffline
    }
}
