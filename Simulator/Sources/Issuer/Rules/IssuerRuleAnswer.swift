/// What the issuer does with a message that a rule holds for. What is not given is as without the rule.
struct IssuerRuleAnswer: Hashable, Sendable {
    /// How the answer proves that it is the issuer's.
    enum Proof: String, Hashable, Sendable, CaseIterable { case right, wrong, none }

    /// DE 39, two characters.
    var responseCode: String?
    /// DE 38, 1...6 characters; only with an approval.
    var authorisationCode: String?
    var proof = Proof.right
    /// How the ARPC is made, whatever the card wants.
    var responseMethod: CryptogramVersion.ResponseMethod?
    /// What an ARPC by method 2 tells the card.
    var cardStatusUpdate: CardStatusUpdate?
    /// In place of the account's own.
    var scripts: [IssuerScriptTemplate]?
    /// What goes wrong with the message.
    var fault: IssuerFault?
}
