import Determinism
import Terminal
import Text

/// Makes the messages that a terminal sends without being asked.
enum NexoEvents {
    /// The event that says that a message was not taken.
    static func reject(_ rejection: NexoEnvelope.Rejection, _ body: [UInt8], at now: Timestamp) -> JSONValue {
        let details = "message=" + PercentEncoding.encode(rejection.message).replacing("%20", with: "+")
        return [
            "SaleToPOIRequest": [
                "MessageHeader": [
                    "ProtocolVersion": .text(NexoHeader.version), "MessageClass": "Event",
                    "MessageCategory": "Event", "MessageType": "Notification", "SaleID": .text(rejection.saleID),
                    "POIID": .text(rejection.poi),
                ],
                "EventNotification": [
                    "TimeStamp": .text("\(now)"), "EventToNotify": "Reject", "EventDetails": .text(details),
                    "RejectedMessage": .text(body.base64),
                ],
            ]
        ]
    }

    /// The display notification of a step of a payment.
    static func display(
        _ event: String, result: String?, _ dialog: NexoDialog, number: Int, at now: Timestamp
    ) -> JSONValue {
        var pairs = [(name: "TransactionID", value: dialog.tender), (name: "TimeStamp", value: "\(now)")]
        pairs.append((name: "event", value: event))
        if let result { pairs.append((name: "result", value: result)) }
        let header = dialog.call.header
        return [
            "SaleToPOIRequest": [
                "MessageHeader": [
                    "ProtocolVersion": .text(NexoHeader.version), "MessageClass": "Device",
                    "MessageCategory": "Display", "MessageType": "Request", "DeviceID": .text("\(number)"),
                    "SaleID": .text(header.id.saleID), "ServiceID": .text(header.id.serviceID),
                    "POIID": .text(header.poi),
                ],
                "DisplayRequest": [
                    "DisplayOutput": [
                        [
                            "Device": "CashierDisplay", "InfoQualify": "Status", "ResponseRequiredFlag": false,
                            "OutputContent": [
                                "OutputFormat": "MessageRef",
                                "PredefinedContent": ["ReferenceID": .text(NexoText.pairs(pairs))],
                            ],
                        ]
                    ]
                ],
            ]
        ]
    }

    /// The name of a step; nil where nothing is shown.
    static func name(_ progress: TerminalProgress) -> String? {
        switch progress {
        case .waitingForCard: "TENDER_CREATED"
        case .cardPresented: "CARD_INSERTED"
        case .choosingApplication: "WAIT_FOR_APP_SELECTION"
        case .enteringPIN, .wrongPIN: "WAIT_FOR_PIN"
        case .accepted, .authorizing, .recovering, .removingCard, .working: nil
        }
    }
}

extension NexoTerminal {
    /// Sends a message to the event address.
    mutating func notify(_ message: JSONValue) {
        outbox.add(Array(message.jsonText.utf8), copies: faults.copiesOfNext())
    }

    mutating func notify(_ progress: TerminalProgress, _ dialog: NexoDialog) {
        guard case .payment = dialog.purpose, let event = NexoEvents.name(progress) else { return }
        notify(event, result: nil, dialog)
    }

    mutating func notify(_ outcome: TerminalOutcome, _ dialog: NexoDialog) {
        guard case .payment = dialog.purpose else { return }
        let result: String =
            switch outcome {
            case .approved, .done: "APPROVED"
            case .declined: "DECLINED"
            case .canceled: "CANCELLED"
            case .failed: "ERROR"
            }
        notify("TENDER_FINAL", result: result, dialog)
    }

    private mutating func notify(_ event: String, result: String?, _ dialog: NexoDialog) {
        guard outbox.address != nil else { return }
        notifications += 1
        notify(NexoEvents.display(event, result: result, dialog, number: notifications, at: now))
    }
}
