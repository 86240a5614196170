public import MagneticStripe

/// A swiped card behind a reference, so that tasks can hand it on. It prints as nothing.
public final class Swipe: Sendable, CustomStringConvertible, CustomReflectable {
    public let stripe: MagneticStripe

    public init(_ stripe: consuming MagneticStripe) { self.stripe = stripe }

    public var description: String { "Swipe(masked)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
