/// How long terminals wait for people and readers. Every wait of a till has an end.
public enum TerminalPatience {
    /// For a card, or for the customer's answer.
    public static let cardholder = Duration.seconds(180)
}
