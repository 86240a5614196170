public import Determinism
public import EMV
import Money
import SmartCard

/// Entry Point of a contactless reader (EMV Contactless Book B), and the reader's steps after an outcome (Book A §8.1).
///
/// A pure state machine: it has no card, no field, no clock, and no display. ``begin(_:autorun:)`` and ``handle(_:)``
/// return what the reader does next. One value serves one transaction after the other.
///
///     var actions = try entryPoint.begin(request)
///     // The reader carries the actions out, and reports what happens:
///     actions = try entryPoint.handle(.cardDetected)
public struct ContactlessEntryPoint: Sendable {
    public let configuration: EntryPointConfiguration
    /// What was found on the card presented last and not followed, in its order.
    public private(set) var findings: [SelectionFinding] = []
    /// Whether the transaction goes on after an outcome with a start (Book A §8.1.1.9).
    public private(set) var isRestart = false

    private let kernels: KernelRegistry
    private let random: any RandomSource
    private var state = State.idle
    private var transaction: CurrentTransaction?

    /// The most activations of kernels for one presentation of a card. More are the mistake of a kernel.
    private static let maximumActivations = 32

    private enum State: Sendable {
        case idle, polling, collision, readingDirectory
        case selecting(CombinationCandidate)
        case inKernel
        case awaitingHost(ContactlessOutcome, isCardThere: Bool)
    }

    /// Creates a reader's Entry Point. Unpredictable numbers (9F37) are drawn from `random`.
    public init(configuration: EntryPointConfiguration, kernels: KernelRegistry, random: any RandomSource) {
        (self.configuration, self.kernels, self.random) = (configuration, kernels, random)
    }

    /// The answer that Entry Point waits for.
    public var phase: EntryPointPhase {
        switch state {
        case .idle: .idle
        case .polling: .polling
        case .collision: .collision
        case .readingDirectory: .readingDirectory
        case .selecting: .selecting
        case .inKernel: .kernel
        case .awaitingHost: .awaitingHost
        }
    }

    /// The actions of a reader without a transaction: field off, and message 14 (Book A §8.1).
    public static let whenIdle: [EntryPointAction] = [.switchFieldOff, .show(.welcome)]

    // MARK: Transactions

    /// Begins a transaction at Start A. With `autorun`, amount and type are fixed: it begins at Start B, without
    /// pre-processing, and the reader polls at once.
    ///
    /// - Returns: what the reader does next.
    /// - Throws: ``EntryPointError``. Nothing has changed then.
    public mutating func begin(
        _ request: TransactionRequest, autorun: Bool = false
    ) throws(EntryPointError) -> [EntryPointAction] {
        guard case .idle = state else { throw .busy(phase) }
        do throws(TransactionRequestError) { try request.check() } catch { throw .request(error) }
        guard let set = configuration.combinations[request.kind] else { throw .transactionType(request.kind) }
        for combination in set {
            guard let limits = combination.limits.currency, limits != request.amount.currency else { continue }
            throw .currency(aid: combination.aid, limits: limits.code, amount: request.amount.currency.code)
        }
        (findings, isRestart) = ([], false)
        transaction = CurrentTransaction(request, isAutorun: autorun, set: set)
        return autorun ? activateProtocol() : preProcess()
    }

    /// Takes an event at the reader.
    ///
    /// - Returns: what the reader does next.
    /// - Throws: ``EntryPointError/unexpected(event:_:)``. Nothing has changed then.
    public mutating func handle(_ event: EntryPointEvent) throws(EntryPointError) -> [EntryPointAction] {
        switch (state, event) {
        case (.polling, .cardDetected): return takeCard()
        case (.polling, .collision):
            state = .collision
            return [.show(UserInterfaceRequest(.presentOneCardOnly, .processingError))]
        case (.collision, .collisionEnded):
            state = .polling
            return [.show(UserInterfaceRequest(.presentOneCardOnly, .readyToRead)), .poll]
        case (.polling, .stop), (.collision, .stop): return stop()
        case (.readingDirectory, .response(let response, _)): return takeDirectory(response)
        case (.selecting(let candidate), .response(let response, _)): return take(response, of: candidate)
        case (.readingDirectory, .failed(let error)), (.selecting, .failed(let error)): return restart(after: error)
        case (.inKernel, .response(let response, let duration)):
            return continueKernel { $0.receive(.response(response, took: duration)) }
        case (.inKernel, .failed(let error)): return continueKernel { $0.receive(.failure(error)) }
        case (.awaitingHost(let outcome, let isCardThere), .hostAnswered(let result)):
            return take(result, after: outcome, isCardThere: isCardThere)
        case (.awaitingHost(let outcome, _), .cardRemoved):
            state = .awaitingHost(outcome, isCardThere: false)
            return []
        case (.awaitingHost(_, isCardThere: true), .removalTimedOut):
            return [.show(UserInterfaceRequest(.removeCard, .notReady))]
        // The card leaves when it likes.
        case (_, .cardRemoved), (_, .removalTimedOut): return []
        default: throw .unexpected(event: event.name, phase)
        }
    }

    // MARK: Start A: pre-processing (§3.1)

    private mutating func preProcess() -> [EntryPointAction] {
        guard let current = transaction else { return [] }
        let combinations = current.set.map {
            PreparedCombination(
                combination: $0, indicators: PreProcessingIndicators($0, amount: current.request.amount))
        }
        transaction?.combinations = combinations
        guard combinations.contains(where: { !$0.indicators.isNotAllowed }) else {
            return process(
                ContactlessOutcome(
                    .tryAnotherInterface, uiOnOutcome: UserInterfaceRequest(.insertOrSwipeCard, .processingError)),
                of: nil)
        }
        return activateProtocol()
    }

    // MARK: Start B: protocol activation (§3.2)

    private mutating func activateProtocol() -> [EntryPointAction] {
        findings = []
        if !isRestart {
            transaction?.candidates = CombinationCandidates()
            if let current = transaction, current.isAutorun {
                transaction?.combinations = current.set.map {
                    PreparedCombination(combination: $0, indicators: PreProcessingIndicators(unprocessed: $0))
                }
            }
        }
        state = .polling
        return [.show(isRestart ? transaction?.uiOnRestart ?? .presentCard : .presentCard), .poll]
    }

    private mutating func takeCard() -> [EntryPointAction] {
        transaction?.activations = 0
        if let current = transaction, current.deliversIssuerData, let selected = current.selected {
            return select(selected)
        }
        guard let command = Self.select(ContactlessDirectory.name) else { return endWithoutCandidate() }
        transaction?.candidates = CombinationCandidates()
        state = .readingDirectory
        return [.transmit(command)]
    }

    /// Begins again at Start B after a failed exchange (§3.3.3.7), or ends the transaction if it was canceled.
    private mutating func restart(after error: CardChannelError) -> [EntryPointAction] {
        guard error != .canceled else { return stop() }
        // Start A leads to Start B, and keeps its name.
        if transaction?.start != .a { transaction?.start = .b }
        let actions = activateProtocol()
        findings.append(.exchangeFailed(error))
        return actions
    }

    private mutating func stop() -> [EntryPointAction] {
        process(
            ContactlessOutcome(.endApplication, uiOnOutcome: UserInterfaceRequest(.clearDisplay, .notReady)), of: nil)
    }

    // MARK: Start C: combination selection (§3.3)

    private mutating func takeDirectory(_ response: ResponseAPDU) -> [EntryPointAction] {
        guard response.status == .success else {
            findings.append(.directoryRefused(response.status))
            return endWithoutCandidate()
        }
        let directory: ContactlessDirectory
        do throws(FileControlError) { directory = try ContactlessDirectory(response.data) } catch {
            findings.append(.directory(error))
            return endWithoutCandidate()
        }
        let combinations = transaction?.combinations ?? []
        var entries: [(position: Int, entry: DirectoryEntry)] = []
        for (position, result) in directory.entries.enumerated() {
            switch result {
            case .success(let entry):
                entries.append((position, entry))
                if !combinations.contains(where: { entry.matches($0.combination) }) {
                    findings.append(.entryNotSupported(position + 1))
                }
            case .failure(let error): findings.append(.entry(position + 1, error))
            }
        }
        transaction?.candidates = CombinationCandidates(entries, with: combinations)
        return selectBest()
    }

    private mutating func selectBest() -> [EntryPointAction] {
        guard let best = transaction?.candidates.best else { return endWithoutCandidate() }
        return select(best)
    }

    private mutating func select(_ candidate: CombinationCandidate) -> [EntryPointAction] {
        guard candidate.name.count <= 16, let command = Self.select(candidate.name) else {
            return reject(candidate, .nameTooLong(aid: candidate.entry.adfName))
        }
        state = .selecting(candidate)
        return [.transmit(command)]
    }

    /// Goes on with the next candidate; with data of the issuer for this one alone, ends (§3.3.3.5).
    private mutating func reject(
        _ candidate: CombinationCandidate, _ finding: SelectionFinding
    ) -> [EntryPointAction] {
        findings.append(finding)
        guard transaction?.onlineResponse?.hasIssuerData != true else { return endWithoutCandidate() }
        transaction?.candidates.drop(candidate)
        transaction?.start = .c
        return selectBest()
    }

    private mutating func endWithoutCandidate() -> [EntryPointAction] {
        process(
            ContactlessOutcome(.endApplication, uiOnOutcome: UserInterfaceRequest(.useAnotherCard, .readyToRead)),
            of: nil)
    }

    private static func select(_ name: [UInt8]) -> CommandAPDU? {
        try? CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: name, expectedLength: 256)
    }

    private mutating func take(_ response: ResponseAPDU, of candidate: CombinationCandidate) -> [EntryPointAction] {
        let aid = candidate.entry.adfName
        guard response.status == .success else {
            return reject(candidate, .applicationRefused(aid: aid, response.status))
        }
        let needsQualifiers = CardBrand(aid: aid) == .visa && candidate.kernel == .kernel3
        var chosen = candidate
        if configuration.rules.demandsDFName || needsQualifiers {
            let file: SelectedFile
            do throws(FileControlError) { file = try SelectedFile(response.data) } catch {
                return reject(candidate, .application(aid: aid, error))
            }
            if configuration.rules.demandsDFName, file.dfName?.starts(with: aid) != true {
                return reject(candidate, .otherDFName(aid: aid))
            }
            if needsQualifiers, file.pdol?.asks(for: EMVTag.terminalTransactionQualifiers) != true {
                guard let other = combinationForOldVisaCard(candidate) else {
                    return reject(candidate, .noQualifiersRequested(aid: aid))
                }
                chosen = candidate.with(other)
            }
        }
        guard kernels.contains(chosen.kernel) else { return reject(candidate, .noKernel(chosen.kernel)) }
        transaction?.selected = chosen
        // The candidate itself stays in the list under the kernel that runs it.
        transaction?.candidates.replace(candidate, by: chosen)
        transaction?.selection = response
        transaction?.kernel = nil
        return activateKernel()
    }

    /// The allowed combination of the same AID with Kernel 1, where the rules say so (§3.3.3.6).
    private func combinationForOldVisaCard(_ candidate: CombinationCandidate) -> PreparedCombination? {
        guard configuration.rules.usesKernel1ForVisa, kernels.contains(.kernel1) else { return nil }
        return transaction?.combinations.first {
            $0.combination.aid == candidate.prepared.combination.aid && $0.combination.kernel == .kernel1
                && !$0.indicators.isNotAllowed
        }
    }

    // MARK: Start D: kernel activation (§3.4)

    private mutating func activateKernel() -> [EntryPointAction] {
        guard let current = transaction, let selected = current.selected,
            let kernel = current.kernel ?? kernels.makeKernel(selected.kernel)
        else { return endWithoutCandidate() }
        guard current.activations < Self.maximumActivations else {
            findings.append(.tooManyActivations)
            return endWithoutCandidate()
        }
        let activation = KernelActivation(
            start: current.start, isRestart: isRestart, combination: selected.prepared.combination,
            indicators: selected.prepared.indicators, selection: current.start == .d ? nil : current.selection,
            data: current.data(for: selected, configuration.terminal, kernels, random),
            onlineResponse: current.onlineResponse, demandsIssuer: current.demandsIssuer)
        transaction?.activations += 1
        transaction?.kernel = kernel
        return continueKernel { $0.activate(activation) }
    }

    private mutating func continueKernel(
        _ call: (inout any ContactlessKernel) -> KernelStep
    ) -> [EntryPointAction] {
        guard var kernel = transaction?.kernel else { return endWithoutCandidate() }
        let step = call(&kernel)
        transaction?.kernel = kernel
        let messages = step.messages.map(EntryPointAction.show)
        switch step.next {
        case .transmit(let command):
            state = .inKernel
            return messages + [.transmit(command)]
        case .finish(let outcome): return messages + process(outcome, of: transaction?.selected)
        }
    }

    // MARK: Outcomes (§3.5, Book A §8.1)

    /// Processes an outcome of a kernel, or of Entry Point itself.
    private mutating func process(
        _ outcome: ContactlessOutcome, of selected: CombinationCandidate?
    ) -> [EntryPointAction] {
        if outcome.status == .onlineRequest, transaction?.onlineResponse != nil { return refuseSecondRequest() }
        if outcome.start != nil { isRestart = true }
        transaction?.uiOnRestart = outcome.uiOnRestart
        var actions: [EntryPointAction] = []
        if let message = outcome.uiOnOutcome { actions.append(.show(message)) }
        if let time = outcome.fieldOff { actions.append(.pauseField(time)) }
        switch outcome.status {
        case .tryAgain: return actions + go(to: .b)
        case .selectNext:
            if let selected { transaction?.candidates.drop(selected) }
            return actions + go(to: .c)
        case .onlineRequest:
            state = .awaitingHost(outcome, isCardThere: true)
            actions.append(.deliver(finalOutcome(outcome, selected, .awaitsHost)))
            if outcome.removalTimeout > .zero {
                actions.append(.watchRemoval(within: outcome.removalTimeout))
            } else if outcome.start != .c, outcome.start != .d {
                actions.append(.switchFieldOff)
            }
            return actions
        case .endApplication:
            guard let start = outcome.start else { return actions + end(finalOutcome(outcome, selected, .ends)) }
            return actions + [.deliver(finalOutcome(outcome, selected, .restarts(start)))] + go(to: start)
        case .approved, .declined, .tryAnotherInterface: return actions + end(finalOutcome(outcome, selected, .ends))
        }
    }

    /// One transaction sends one authorization. The host's answer to the first one decides.
    private mutating func refuseSecondRequest() -> [EntryPointAction] {
        findings.append(.secondOnlineRequest)
        (state, transaction) = (.idle, nil)
        return [.applyHostDecision, .switchFieldOff]
    }

    /// Goes on after the host's answer where the outcome says so, or ends with that answer (Book A §8.1).
    private mutating func take(
        _ result: OnlineAuthorizationResult, after outcome: ContactlessOutcome, isCardThere: Bool
    ) -> [EntryPointAction] {
        transaction?.onlineResponse = result
        let isAllowed =
            switch outcome.onlineResponseData {
            case .any: true
            case .emvData: result.hasIssuerData
            case nil: false
            }
        if isAllowed, let start = outcome.start, isCardThere || start == .a || start == .b { return go(to: start) }
        (state, transaction) = (.idle, nil)
        return [.applyHostDecision, .switchFieldOff]
    }

    private mutating func go(to start: EntryPointStart) -> [EntryPointAction] {
        transaction?.start = start
        switch start {
        case .a: return preProcess()
        case .b: return activateProtocol()
        case .c: return selectBest()
        case .d: return activateKernel()
        }
    }

    private mutating func end(_ outcome: FinalOutcome) -> [EntryPointAction] {
        (state, transaction) = (.idle, nil)
        return [.deliver(outcome), .switchFieldOff]
    }

    private func finalOutcome(
        _ outcome: ContactlessOutcome, _ selected: CombinationCandidate?, _ continuation: FinalOutcome.Continuation
    ) -> FinalOutcome {
        FinalOutcome(
            outcome: outcome, aid: selected?.name, kernel: selected?.kernel, continuation: continuation,
            followsHostAnswer: transaction?.onlineResponse != nil)
    }
}
