import Determinism
import Payments
import Terminal
import Text

// What each message does.
extension NexoTerminal {
    /// Carries out a message.
    ///
    /// - Returns: the response's object; nil when it comes at the end of the work, or when there is none.
    /// - Throws: the failure that is the response. Nothing changed then.
    mutating func carryOut(_ call: NexoCall, _ request: JSONValue) throws(NexoFailure) -> JSONValue.Member? {
        let header = call.header
        guard let desk = desks[header.poi] else { throw NexoFailure(.deviceOut) }
        let response: JSONValue
        switch header.category {
        case .payment: return try began { (terminal) throws(NexoFailure) in try terminal.pay(call, request) }
        case .reversal: return try began { (terminal) throws(NexoFailure) in try terminal.reverse(call, request) }
        case .cardAcquisition:
            return try began { (terminal) throws(NexoFailure) in try terminal.acquire(call, request) }
        case .display: return try began { (terminal) throws(NexoFailure) in try terminal.show(call, request) }
        case .input: return try began { (terminal) throws(NexoFailure) in try terminal.ask(call, request) }
        case .print: return try began { (terminal) throws(NexoFailure) in try terminal.print(call, request) }
        case .getTotals:
            return try began { (terminal) throws(NexoFailure) in try terminal.begin(call, .totals, .totals) }
        case .reconciliation:
            return try began { (terminal) throws(NexoFailure) in try terminal.reconcile(call, request) }
        case .diagnosis where request["HostDiagnosisFlag"]?.flag == true && desk.dialog == nil:
            return try began { (terminal) throws(NexoFailure) in try terminal.begin(call, .diagnosis, .diagnosis) }
        case .abort:
            abort(call, request)
            return nil
        case .diagnosis: response = diagnosis(desk, host: nil)
        case .login: response = login(header, desk)
        case .logout:
            desks[header.poi]?.loggedIn = nil
            response = ["Response": NexoResponses.success]
        case .transactionStatus: response = try transactionStatus(header, request)
        case .enableService: response = try enableService(header, request)
        case .admin, .balanceInquiry, .batch, .cardReaderAPDU, .cardReaderInit, .cardReaderPowerOff, .event,
            .inputUpdate, .loyalty, .pin, .sound, .storedValue, .transmit:
            throw NexoFailure(.unavailableService, "\(header.category.rawValue) is not supported")
        }
        return JSONValue.Member(header.category.rawValue + "Response", response)
    }

    private mutating func began(
        _ body: (inout NexoTerminal) throws(NexoFailure) -> Void
    ) throws(NexoFailure) -> JSONValue.Member? {
        try body(&self)
        return nil
    }

    /// Makes the response of a message whose work has ended, and books what it changed.
    ///
    /// - Parameters:
    ///   - dialog: the message.
    ///   - outcome: how its work ended.
    ///   - reference: the second half of the transaction's ID.
    ///   - isRepeated: whether the response was made before, so that nothing is printed.
    ///   - desk: the terminal.
    /// - Returns: the object of the response.
    mutating func end(
        _ dialog: NexoDialog, _ outcome: TerminalOutcome, reference: String, isRepeated: Bool = false,
        _ desk: inout NexoDesk
    ) -> JSONValue.Member {
        let responses = NexoResponses(
            desk: desk, merchantID: options.merchantID, now: now, reference: reference)
        let failure = NexoFailure(outcome)
        let response = failure?.response ?? NexoResponses.success
        let json: JSONValue
        switch dialog.purpose {
        case .payment(let payment):
            let made = responses.payment(payment, dialog.tender, outcome)
            book(payment, made.id, dialog, outcome, &desk)
            if !isRepeated { desk.print(made.receipt?.printed ?? []) }
            json = made.json
        case .reversal(let reversal):
            let made = responses.reversal(reversal, dialog.tender, outcome)
            book(reversal, made.id, dialog, &desk)
            if !isRepeated { desk.print(made.receipt?.printed ?? []) }
            json = made.json
        case .acquisition(let sale):
            if failure == nil {
                desk.hold(
                    .init(
                        key: dialog.key, till: dialog.call.header.id.saleID, transactionID: dialog.tender,
                        date: dialog.started))
            }
            json = responses.acquisition(sale, dialog.tender, outcome)
        case .display(let outputs):
            json = [
                "OutputResult": .list(
                    outputs.map { output in
                        .members([
                            "Device": output["Device"], "InfoQualify": output["InfoQualify"], "Response": response,
                        ])
                    })
            ]
        case .input(_, let command, let device, let use):
            json = ["InputResult": Self.inputResult(command, device, use, response, outcome)]
        case .print(let qualifier): json = ["DocumentQualifier": .text(qualifier), "Response": response]
        case .totals: json = totals(response, desk, outcome)
        case .reconciliation(let type):
            var members = totals(response, desk, outcome)
            if case .object(let others) = members {
                members = .object([.init("ReconciliationType", .text(type))] + others)
            }
            if failure == nil { desk.reconciliation += 1 }
            json = members
        case .diagnosis: json = diagnosis(desk, host: failure == nil)
        }
        return JSONValue.Member(dialog.call.header.category.rawValue + "Response", json)
    }

    /// The response of a message that was refused.
    func failure(_ failure: NexoFailure, _ category: NexoCategory, _ request: JSONValue) -> JSONValue.Member {
        let response = failure.response
        let json: JSONValue
        switch category {
        case .input:
            json = [
                "InputResult": .members([
                    "Device": request.at("InputData", "Device"), "InfoQualify": request.at("InputData", "InfoQualify"),
                    "Response": response,
                ])
            ]
        case .display:
            let outputs = request["DisplayOutput"]?.elements ?? []
            json = [
                "OutputResult": .list(
                    outputs.map { output in
                        .members([
                            "Device": output["Device"], "InfoQualify": output["InfoQualify"], "Response": response,
                        ])
                    }), "Response": response,
            ]
        case .print:
            json = .members([
                "DocumentQualifier": request.at("PrintOutput", "DocumentQualifier"), "Response": response,
            ])
        case .payment, .cardAcquisition, .reversal:
            let sale = request.at("SaleData", "SaleTransactionID")
            json = .members(["Response": response, "SaleData": sale.map { ["SaleTransactionID": $0] }])
        default: json = ["Response": response]
        }
        return JSONValue.Member(category.rawValue + "Response", json)
    }

    // MARK: Messages that are always answered

    private mutating func abort(_ call: NexoCall, _ request: JSONValue) {
        let reference = request["MessageReference"]
        let id = NexoMessageID(
            saleID: reference?["SaleID"]?.string ?? call.header.id.saleID,
            serviceID: reference?["ServiceID"]?.string ?? "")
        let poi = reference?["POIID"]?.string ?? call.header.poi
        // Whether it was in time says the answer of the other message.
        if poi == call.header.poi, let dialog = desks[poi]?.dialog, dialog.call.header.id == id {
            desks[poi]?.cancel(dialog.key, .byTill)
        }
        answer(call.number, .empty)
    }

    private func transactionStatus(_ header: NexoHeader, _ request: JSONValue) throws(NexoFailure) -> JSONValue {
        let reference = request["MessageReference"]
        let entry: NexoEntry?
        let desk = desks[header.poi]
        if let reference {
            let id = NexoMessageID(
                saleID: reference["SaleID"]?.string ?? header.id.saleID,
                serviceID: reference["ServiceID"]?.string ?? "")
            let isHere = reference["POIID"]?.string ?? header.poi == header.poi
            let found = isHere ? desk?.entries[id] : nil
            let category = reference["MessageCategory"]?.string
            entry = found.flatMap { category == nil || category == $0.header.category.rawValue ? $0 : nil }
        } else {
            entry = desk?.newestTransaction
        }
        guard let entry else { throw Self.notFound(reference, newest: desk?.newestTransaction) }
        guard let answer = entry.answer else { throw NexoFailure(.inProgress, "Uncompleted transaction") }
        let qualifiers = request["DocumentQualifier"]?.elements ?? []
        let wantsReceipts = request["ReceiptReprintFlag"]?.flag == true
        let id = entry.header.id
        return [
            "Response": NexoResponses.success,
            "MessageReference": [
                "MessageCategory": .text(entry.header.category.rawValue), "SaleID": .text(id.saleID),
                "ServiceID": .text(id.serviceID), "POIID": .text(entry.header.poi),
            ],
            "RepeatedMessageResponse": [
                "MessageHeader": entry.header.response,
                "RepeatedResponseMessageBody": .object([
                    .init(answer.name, Self.filtered(answer.value, wantsReceipts ? qualifiers : nil))
                ]),
            ],
        ]
    }

    /// Returns a stored response with the receipts that are asked for: those of some kinds, all for an empty list, none
    /// for nil.
    private static func filtered(_ response: JSONValue, _ qualifiers: [JSONValue]?) -> JSONValue {
        guard case .object(let members) = response else { return response }
        return .object(
            members.compactMap { member in
                guard member.name == "PaymentReceipt" else { return member }
                guard let qualifiers else { return nil }
                let receipts = member.value.elements.filter { receipt in
                    qualifiers.isEmpty || receipt["DocumentQualifier"].map { qualifiers.contains($0) } == true
                }
                return JSONValue.Member(member.name, .list(receipts))
            })
    }

    private static func notFound(_ reference: JSONValue?, newest: NexoEntry?) -> NexoFailure {
        let category = reference?["MessageCategory"]?.string.map { String($0.prefix(32)) } ?? "Payment"
        var message = "Message not found. Category=\(category)"
        if let id = newest?.header.id {
            message += ", last such Request has SaleID=\(id.saleID) ServiceID=\(id.serviceID)"
        }
        return NexoFailure(.notFound, message)
    }

    private func status(of desk: NexoDesk) -> JSONValue {
        [
            "GlobalStatus": desk.model.holder != nil ? "Busy" : hasReader ? "OK" : "Maintenance",
            "CardReaderOKFlag": .bool(hasReader), "PEDOKFlag": .bool(hasReader),
            "CommunicationOKFlag": true, "SecurityOKFlag": true,
            "PrinterStatus": faults.hasPaper ? "OK" : "NoPaper",
        ]
    }

    private func diagnosis(_ desk: NexoDesk, host: Bool?) -> JSONValue {
        .members([
            "Response": NexoResponses.success, "POIStatus": status(of: desk),
            "HostStatus": host.map { [["AcquirerID": .text(options.merchantID), "IsReachableFlag": .bool($0)]] },
            "LoggedSaleID": desk.loggedIn.map { [.text($0)] },
        ])
    }

    private mutating func login(_ header: NexoHeader, _ desk: NexoDesk) -> JSONValue {
        desks[header.poi]?.loggedIn = header.id.saleID
        let serial = header.poi.split(separator: "-").last.map(String.init) ?? header.poi
        return [
            "Response": NexoResponses.success,
            "POISystemData": [
                "DateTime": .text("\(now)"),
                "POISoftware": [
                    "ManufacturerID": "CardPresent", "ApplicationName": "CardPresent",
                    "SoftwareVersion": .text(options.version), "CertificationCode": "none",
                ],
                "POITerminalData": [
                    "TerminalEnvironment": "Attended",
                    "POICapabilities": [
                        "CashierDisplay", "CustomerDisplay", "ICC", "MagStripe", "PrinterReceipt",
                    ], "POISerialNumber": .text(serial),
                ], "POIStatus": status(of: desk),
            ],
        ]
    }

    private mutating func enableService(_ header: NexoHeader, _ request: JSONValue) throws(NexoFailure) -> JSONValue {
        guard request["TransactionAction"]?.string == "AbortTransaction" else {
            throw NexoFailure(.unavailableService, "Only AbortTransaction is supported")
        }
        guard desks[header.poi]?.acquired?.till == header.id.saleID else {
            throw NexoFailure(.notFound, "No card was acquired")
        }
        desks[header.poi]?.releaseCard()
        return ["Response": NexoResponses.success]
    }
}
