public import Text

/// A message of a till that speaks nexo. What its header has besides is always the same.
public struct TillNexoMessage: Hashable, Sendable {
    /// The category, such as `Payment`.
    public var category: String
    /// The ServiceID, which a till gives each message anew.
    public var service: String
    /// The object of the request. Its texts may name kept values.
    public var content: JSONValue
    /// The path to which it is sent.
    public var path: String

    /// Takes a message; by default, it goes to the terminal itself.
    public init(_ category: String, service: String, content: JSONValue, path: String = "/nexo") {
        (self.category, self.service, self.content, self.path) = (category, service, content, path)
    }
}

/// A step of a till that speaks ZVT.
public struct TillZVTCommand: Hashable, Sendable {
    /// What is sent.
    public enum Content: Hashable, Sendable {
        /// A command: the bytes before its fields, and the value of each field, in hexadecimal digits. The values may
        /// name kept ones.
        case command(Name, data: String, fields: [Field])
        /// These bytes as they are, in hexadecimal digits.
        case bytes(String)
        /// Nothing: the till takes the messages that come in this time.
        case nothing(Duration)
    }

    /// A field of a command.
    public struct Field: Hashable, Sendable {
        /// The number in hexadecimal digits, such as `04`.
        public var number: String
        /// Hexadecimal digits without a length.
        public var value: String

        /// Takes a number such as `04`, and its value.
        public init(_ number: String, _ value: String) { (self.number, self.value) = (number, value) }
    }

    public var content: Content
    /// The message at which the till closes the connection instead of answering; nil for none.
    public var cut: String?

    /// Takes what is sent.
    public init(_ content: Content, cut: String? = nil) { (self.content, self.cut) = (content, cut) }

    /// The command in a line, such as `authorization`.
    var sentence: String {
        switch content {
        case .command(let name, _, _): name.rawValue
        case .bytes(let digits): "hex \(digits)"
        case .nothing: "listen"
        }
    }

    /// The commands by their words in a file.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case registration
        case logOff = "log_off"
        case authorization, reversal, refund, preauthorization
        case partialReversal = "partial_reversal"
        case bookTotal = "book_total"
        case preauthorizationReversal = "preauthorization_reversal"
        case repeatReceipt = "repeat_receipt"
        case endOfDay = "end_of_day"
        case sendTotals = "send_totals"
        case diagnosis, initialization
        case statusEnquiry = "status_enquiry"
        case abort, language

        /// The control field: class and instruction.
        public var control: UInt16 {
            switch self {
            case .registration: 0x0600
            case .logOff: 0x0602
            case .authorization: 0x0601
            case .reversal: 0x0630
            case .refund: 0x0631
            case .preauthorization: 0x0622
            case .partialReversal: 0x0623
            case .bookTotal: 0x0624
            case .preauthorizationReversal: 0x0625
            case .repeatReceipt: 0x0620
            case .endOfDay: 0x0650
            case .sendTotals: 0x0610
            case .diagnosis: 0x0670
            case .initialization: 0x0693
            case .statusEnquiry: 0x0501
            case .abort: 0x06B0
            case .language: 0x0830
            }
        }
    }
}
