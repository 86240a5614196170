internal import SettingsFile

extension IssuerRuleAnswer {
    private enum Loss: String, CaseIterable { case request, answer }

    /// Keys that mean something for an authorisation only.
    private static let cardKeys = ["authorisationCode", "arpc", "arpcMethod", "cardStatusUpdate", "scripts"]
    private static let lineKeys = ["reachable", "lost", "delayMilliseconds"]

    /// Reads the `answer` section of a rule for messages of these kinds.
    init(_ node: SettingsNode, messages: Set<IssuerMessageKind>) throws(SettingsError) {
        self.init()
        try node.mapping(allowedKeys: ["responseCode"] + Self.cardKeys + Self.lineKeys)
        guard try !node.entries().isEmpty else { throw node.error("the rule changes nothing") }
        for key in Self.cardKeys where messages != [.authorize] {
            guard let value = try node.optional(key) else { continue }
            throw value.error("only the answer to 'authorize' has this", fix: "leave other messages out of 'messages'")
        }
        if let value = try node.optional("responseCode"), !messages.isSubset(of: [.authorize, .refund]) {
            throw value.error(
                "only 'authorize' and 'refund' are answered with a response code",
                fix: "leave other messages out of 'messages'")
        }
        fault = try Self.fault(node)
        if fault?.losesRequest == true, let other = try node.entries().first(where: { !Self.lineKeys.contains($0.key) })
        {
            throw other.value.error("the issuer never sees the message: nothing is answered")
        }
        responseCode = try node.optional("responseCode").map { (node) throws(SettingsError) in
            try node.responseCode()
        }
        authorisationCode = try node.optional("authorisationCode").map { (node) throws(SettingsError) in
            try node.authorisationCode()
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
            throw node.error("\(given.joined(separator: " and ")) exclude each other", fix: "leave one")
        }
        if let isReachable = try node.optional("reachable") {
            guard try !isReachable.bool() else { throw isReachable.error("the issuer is reachable without a rule") }
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
            if let value = try node.optional(key) { throw value.error("without an ARPC the card is told nothing") }
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
    /// DE 39: two digits or upper-case letters.
    func responseCode() throws(SettingsError) -> String {
        let code = try text(length: 2...2)
        guard code.utf8.allSatisfy(\.isDigitOrCapital) else {
            throw error("a response code has two digits or upper-case letters")
        }
        return code
    }

    /// DE 38
    fileprivate func authorisationCode() throws(SettingsError) -> String {
        let code = try text(length: 1...6)
        guard code.utf8.allSatisfy(\.isDigitOrCapital) else {
            throw error("an authorisation code has digits and upper-case letters only")
        }
        return code
    }
}

extension UInt8 {
    fileprivate var isDigitOrCapital: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) }
}
