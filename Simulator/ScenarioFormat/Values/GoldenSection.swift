/// A part of what a run shows that is compared as a whole with a file beside the scenario.
public enum GoldenSection: String, Hashable, Sendable, CaseIterable {
    case events, display, apdu, receipt, merchantReceipt, journal
}
