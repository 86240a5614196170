public import MSR

/// What the till does about magnetic stripes.
public struct MagneticStripePolicy: Hashable, Sendable {
    /// Whether stripes are taken at all.
    public var isEnabled: Bool
    /// Whether a card whose chip cannot be read may be swiped.
    public var allowsFallback: Bool
    /// How often the chip must have failed before that: 1...9.
    public var chipFailures: Int
    /// The way to a reader's reports.
    public var path: MSRPath
    /// The readers that do not say what they are.
    public var readers: [MSRModel]

    public init(
        isEnabled: Bool = true, allowsFallback: Bool = true, chipFailures: Int = 3, path: MSRPath = .usb,
        readers: [MSRModel] = MSRModel.known
    ) {
        (self.isEnabled, self.allowsFallback, self.chipFailures) = (isEnabled, allowsFallback, chipFailures)
        (self.path, self.readers) = (path, readers)
    }

    /// No stripes.
    public static let none = MagneticStripePolicy(isEnabled: false)
}
