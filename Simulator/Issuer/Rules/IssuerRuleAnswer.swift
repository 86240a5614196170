import Settings

/// The effect of a rule on a message. Omitted values stay as without the rule.
struct IssuerRuleAnswer: Hashable, Sendable {
    /// The validity of the issuer authentication data.
    enum Proof: String, Hashable, Sendable, CaseIterable { case right, wrong, none }

    /// DE 39, two characters.
    var responseCode: String?
    /// The part of the amount that an approval with the code 10 is for, 1...99; nil when the answer does not say.
    var approvedPercent: Int?
    /// DE 38, 1...6 characters; only for an approval.
    var authorizationCode: String?
    var proof = Proof.right
    /// The ARPC method, regardless of the card's.
    var responseMethod: CryptogramVersion.ResponseMethod?
    /// The card status update in an ARPC by method 2.
    var cardStatusUpdate: CardStatusUpdate?
    /// The scripts instead of the account's.
    var scripts: [IssuerScriptTemplate]?
    /// The fault that applies to the message.
    var fault: IssuerFault?
}

extension IssuerRuleAnswer {
    private enum Loss: String, CaseIterable { case request, answer }

    /// Keys that apply to authorizations only.
    private static let cardKeys = [
        "approvedPercent", "authorisationCode", "arpc", "arpcMethod", "cardStatusUpdate", "scripts",
    ]
    private static let lineKeys = ["reachable", "lost", "delayMilliseconds"]

    /// Decodes the `answer` section of a rule for messages of these kinds.
    init(_ node: SettingsNode, messages: Set<IssuerMessageKind>) throws(SettingsError) {
        self.init()
        try node.mapping(allowedKeys: ["responseCode"] + Self.cardKeys + Self.lineKeys)
        guard try !node.entries().isEmpty else { throw node.error("the rule changes nothing") }
        for key in Self.cardKeys where messages != [.authorize] {
            guard let value = try node.optional(key) else { continue }
            throw value.error(
                "only the answer to 'authorize' can have this", fix: "remove other messages from 'messages'")
        }
        if let value = try node.optional("responseCode"), !messages.isSubset(of: [.authorize, .refund]) {
            throw value.error(
                "only the answers to 'authorize' and 'refund' have a response code",
                fix: "remove other messages from 'messages'")
        }
        fault = try Self.fault(node)
        if fault?.losesRequest == true, let other = try node.entries().first(where: { !Self.lineKeys.contains($0.key) })
        {
            throw other.value.error("the issuer does not receive the message, so there is no answer")
        }
        responseCode = try node.optional("responseCode").map { (node) throws(SettingsError) in
            try node.responseCode()
        }
        if let part = try node.optional("approvedPercent") {
            guard responseCode == "10" else {
                throw part.error("only an approval of a part has this", fix: "add responseCode: \"10\"")
            }
            approvedPercent = try part.int(in: 1...99)
        }
        authorizationCode = try node.optional("authorisationCode").map { (node) throws(SettingsError) in
            try node.authorizationCode()
        }
        try readProof(node)
        scripts = try node.optional("scripts").map { (node) throws(SettingsError) in
            try IssuerScriptTemplate.list(node)
        }
    }

    private static func fault(_ node: SettingsNode) throws(SettingsError) -> IssuerFault? {
        var given: [String] = []
        for key in lineKeys where try node.optional(key) != nil { given.append(key) }
        guard given.count <= 1 else {
            throw node.error("\(given.joined(separator: " and ")) exclude each other", fix: "keep one of them")
        }
        if let isReachable = try node.optional("reachable") {
            guard try !isReachable.bool() else { throw isReachable.error("the issuer is reachable by default") }
            return .notReachable
        }
        if let loss = try node.optional("lost") {
            return try loss.choice(Loss.self) == .request ? .requestLost : .answerLost
        }
        guard let delay = try node.optional("delayMilliseconds") else { return nil }
        return .answerDelayed(.milliseconds(try delay.int(in: 1...600_000)))
    }

    private mutating func readProof(_ node: SettingsNode) throws(SettingsError) {
        proof = try node.optional("arpc")?.choice(Proof.self) ?? .right
        responseMethod = try node.optional("arpcMethod")?.choice(of: ["1": .one, "2": .two])
        cardStatusUpdate = try node.optional("cardStatusUpdate").map { (node) throws(SettingsError) in
            try CardStatusUpdate(node)
        }
        guard proof == .none else { return }
        for key in ["arpcMethod", "cardStatusUpdate"] {
            if let value = try node.optional(key) { throw value.error("without an ARPC this has no effect") }
        }
    }
}

extension CardStatusUpdate {
    fileprivate init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["approve", "blockCard", "blockApplication", "pinTries", "onlineNextTime"])
        self.init(
            approves: try node.required("approve").bool(),
            blocksCard: try node.optional("blockCard")?.bool() ?? false,
            blocksApplication: try node.optional("blockApplication")?.bool() ?? false,
            pinTryCounter: try node.optional("pinTries").map { (node) throws(SettingsError) in
                UInt8(try node.int(in: 0...15))
            },
            goesOnlineNextTime: try node.optional("onlineNextTime")?.bool() ?? false)
    }
}

extension SettingsNode {
    /// Decodes DE 39: two digits or uppercase letters.
    func responseCode() throws(SettingsError) -> String {
        let code = try text(length: 2...2)
        guard code.utf8.allSatisfy(\.isDigitOrCapital) else {
            throw error("a response code must have two digits or uppercase letters")
        }
        return code
    }

    /// Decodes DE 38.
    fileprivate func authorizationCode() throws(SettingsError) -> String {
        let code = try text(length: 1...6)
        guard code.utf8.allSatisfy(\.isDigitOrCapital) else {
            throw error("an authorization code can have only digits and uppercase letters")
        }
        return code
    }
}

extension UInt8 {
    fileprivate var isDigitOrCapital: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) }
}
