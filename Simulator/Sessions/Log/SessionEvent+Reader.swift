internal import EMV
public import Hardware
public import SmartCard

extension SessionEvent {
    /// The ``text`` of an event that says what a reader told.
    public static func text(of event: CardReaderEvent) -> String {
        let (kind, detail) = words(event)
        return detail.isEmpty ? kind.rawValue : "\(kind.rawValue) \(detail)"
    }

    /// The ``text`` of an event that says what went to a card and came from it.
    public static func text(of entry: TraceEntry) -> String { "\(SessionEventKind.apdu.rawValue) \(words(entry))" }

    /// The words for an exchange with a card.
    static func words(_ entry: TraceEntry) -> String {
        switch entry.outcome {
        case .response(let response): "\(entry.command) \(response)"
        case .failure(let error): "\(entry.command) failed \(error)"
        case .notSent(let answer): "\(entry.command) not_sent \(answer)"
        }
    }

    /// The words for what a reader told.
    static func words(_ event: CardReaderEvent) -> (kind: SessionEventKind, detail: String) {
        switch event {
        case .waitingForInput(let inputs): (.waiting, inputs.words.joined(separator: ","))
        case .displayMessage(let text): (.display, text)
        case .cardInserted: (.cardInserted, "")
        case .cardSwiped: (.cardSwiped, "")
        case .cardRemoved: (.cardRemoved, "")
        case .kernel(let state): (.kernel, word(state))
        case .cardDetailsCollected: (.cardDetailsCollected, "")
        case .authorizing: (.authorizing, "")
        case .removeCardRequested: (.removeCard, "")
        case .cardRemovedAfterClientSidePaymentCapture: (.approvedAndRemoved, "")
        case .lowBattery(let level): (.lowBattery, percent(level))
        case .lowBatteryResolved(let level): (.batteryResolved, percent(level))
        case .recovering(let step): (.recovering, step.rawValue)
        case .disconnected(let reason): (.disconnected, reason.code)
        }
    }

    /// The words for what is done to get a reader back; nil when nothing is.
    static func words(_ state: CardReaderReconnectionState) -> String? {
        switch state {
        case .idle: nil
        case .reconnecting(_, let attempt, _): "reconnecting \(attempt)"
        case .succeeded: "succeeded"
        case .failed: "failed"
        }
    }

    /// The words for how far a firmware update has come; nil when there is none.
    static func words(_ state: CardReaderSoftwareUpdateState) -> String? {
        switch state {
        case .none: nil
        case .available: "available"
        case .started: "started"
        case .installing(let progress): "installing \(percent(progress))"
        case .completed: "completed"
        case .failed: "failed"
        }
    }

    private static func percent(_ part: Double) -> String { String(Int((part * 100).rounded())) }

    private static func word(_ state: KernelState) -> String {
        switch state {
        case .selectingApplication: "selecting_application"
        case .choosingApplication: "choosing_application"
        case .initiatingApplication: "initiating_application"
        case .readingApplicationData: "reading_application_data"
        case .offlineDataAuthentication: "offline_data_authentication"
        case .processingRestrictions: "processing_restrictions"
        case .cardholderVerification: "cardholder_verification"
        case .enteringPIN(let prompt): prompt.isRetry ? "entering_pin again" : "entering_pin"
        case .terminalRiskManagement: "terminal_risk_management"
        case .terminalActionAnalysis(let type): "terminal_action_analysis \(type)"
        case .cardActionAnalysis: "card_action_analysis"
        case .online: "online"
        case .issuerAuthentication: "issuer_authentication"
        case .issuerScripts(let isBefore): "issuer_scripts \(isBefore ? "before" : "after")"
        case .completion(let type): "completion \(type)"
        case .ended(let decision): "ended \(decision)"
        }
    }
}
