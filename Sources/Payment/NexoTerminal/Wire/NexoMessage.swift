import Text

/// The subject of a message (MessageCategory).
enum NexoCategory: String, CaseIterable, Sendable {
    case abort = "Abort"
    case admin = "Admin"
    case balanceInquiry = "BalanceInquiry"
    case batch = "Batch"
    case cardAcquisition = "CardAcquisition"
    case cardReaderAPDU = "CardReaderAPDU"
    case cardReaderInit = "CardReaderInit"
    case cardReaderPowerOff = "CardReaderPowerOff"
    case diagnosis = "Diagnosis"
    case display = "Display"
    case enableService = "EnableService"
    case event = "Event"
    case getTotals = "GetTotals"
    case input = "Input"
    case inputUpdate = "InputUpdate"
    case login = "Login"
    case logout = "Logout"
    case loyalty = "Loyalty"
    case pin = "PIN"
    case payment = "Payment"
    case print = "Print"
    case reconciliation = "Reconciliation"
    case reversal = "Reversal"
    case sound = "Sound"
    case storedValue = "StoredValue"
    case transactionStatus = "TransactionStatus"
    case transmit = "Transmit"

    /// The class that its messages have (MessageClass).
    var messageClass: String {
        switch self {
        case .cardReaderAPDU, .cardReaderInit, .cardReaderPowerOff, .display, .input, .inputUpdate, .pin, .print,
            .sound, .transmit:
            "Device"
        case .event: "Event"
        default: "Service"
        }
    }
}

/// Names a message of a till among all of a terminal.
struct NexoMessageID: Hashable, Sendable {
    let saleID: String
    let serviceID: String
}

/// The header of a request whose category and terminal are known.
struct NexoHeader: Hashable, Sendable {
    let category: NexoCategory
    /// The object as it was received.
    let json: JSONValue

    /// Nil when the category is none of the protocol.
    init?(_ json: JSONValue) {
        guard let category = json["MessageCategory"]?.string.flatMap(NexoCategory.init(rawValue:)) else { return nil }
        (self.category, self.json) = (category, json)
    }

    var poi: String { json["POIID"]?.string ?? "" }
    var id: NexoMessageID {
        NexoMessageID(saleID: json["SaleID"]?.string ?? "", serviceID: json["ServiceID"]?.string ?? "")
    }

    /// The header of the response: that of the request with another type.
    var response: JSONValue {
        guard case .object(let members) = json else { return json }
        let others = members.filter { $0.name != "MessageType" }
        return .object(others + [.init("MessageType", "Response")])
    }

    /// Whether the other header has the same members, in any order.
    func isSame(as other: JSONValue) -> Bool {
        guard case .object(let mine) = json, case .object(let others) = other else { return false }
        return mine.sorted { $0.name < $1.name } == others.sorted { $0.name < $1.name }
    }

    /// The only version of the protocol that is spoken here.
    static let version = "3.0"

    /// Checks what every header has.
    ///
    /// - Throws: `MessageFormat`
    func check() throws(NexoFailure) {
        let place = "SaleToPOIRequest.MessageHeader"
        try NexoShape.header.check(json, at: place)
        guard json["ProtocolVersion"]?.string == Self.version else {
            throw .format(place, "ProtocolVersion", "Only \(Self.version) is supported")
        }
        guard json["MessageClass"]?.string == category.messageClass else {
            throw .format(place, "MessageClass", "\(category.rawValue) has the class \(category.messageClass)")
        }
        guard json["MessageType"]?.string == "Request" else {
            throw .format(place, "MessageType", "A till sends a Request")
        }
        let (saleID, serviceID) = (id.saleID, id.serviceID)
        guard (1...10).contains(serviceID.utf8.count), serviceID.utf8.allSatisfy(Self.isAlphanumeric) else {
            throw .format(place, "ServiceID", "Not 1 to 10 letters or digits")
        }
        guard (1...128).contains(saleID.unicodeScalars.count) else {
            throw .format(place, "SaleID", "Not 1 to 128 characters")
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

/// A message of a till, taken apart as far as an answer needs it.
struct NexoEnvelope {
    let header: NexoHeader
    /// The members of `SaleToPOIRequest`.
    let content: JSONValue

    /// Why a text is no message that could be answered: the details of the event `Reject`.
    struct Rejection: Error, Hashable {
        let message: String
        var poi = "N/A"
        var saleID = "N/A"
    }

    /// Reads a message.
    init(_ body: [UInt8]) throws(Rejection) {
        // Repeated names would mean one thing to one reader and another to the next.
        guard String(validating: body, as: UTF8.self) != nil,
            let json = JSONReader.node(body, takesRepeatedNames: false), case .object(let members) = json
        else { throw Rejection(message: "Input is not a JSONObject") }
        guard members.count == 1, let first = members.first, first.name == "SaleToPOIRequest" else {
            throw Rejection(message: "Input is not a SaleToPOIRequest")
        }
        content = first.value
        let fields = content["MessageHeader"]
        let (poi, saleID) = (fields?["POIID"]?.string ?? "N/A", fields?["SaleID"]?.string ?? "N/A")
        guard let fields, case .object = fields else {
            throw Rejection(message: "MessageHeader is missing")
        }
        guard let header = NexoHeader(fields) else {
            throw Rejection(message: "MessageCategory is missing or unknown", poi: poi, saleID: saleID)
        }
        self.header = header
    }

    /// The request's own object, after the header was checked.
    ///
    /// - Throws: `MessageFormat`
    func request() throws(NexoFailure) -> JSONValue {
        let name = header.category.rawValue + "Request"
        guard case .object(let members) = content else { throw .format("SaleToPOIRequest", name, "Missing") }
        for member in members where member.name != name && member.name != "MessageHeader" {
            throw .format("SaleToPOIRequest", String(member.name.prefix(64)), "Not expected")
        }
        guard let request = content[name] else { throw .format("SaleToPOIRequest", name, "Missing") }
        return request
    }
}
