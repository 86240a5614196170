public import EMV
public import SmartCard

/// A contactless kernel: a pure state machine that Entry Point activates (EMV Contactless Books C).
///
/// The kernel makes commands and gets their answers. It has no card, no clock, and no display. A value of it belongs to
/// one transaction and one selected application; a restart at Start D goes on with the same value.
public protocol ContactlessKernel: Sendable {
    /// Begins with the application selected (Book B §3.4), or goes on with it at Start D.
    mutating func activate(_ activation: KernelActivation) -> KernelStep

    /// Takes the answer to the command of the last step.
    mutating func receive(_ input: KernelInput) -> KernelStep
}

/// The result of a kernel's command.
public enum KernelInput: Hashable, Sendable {
    /// The answer of the card, and the time from the command's first byte to the answer's last one.
    case response(ResponseAPDU, took: Duration)
    /// No answer. With ``CardChannelError/canceled``, the reader wants the transaction to end.
    case failure(CardChannelError)
}

/// The next step of a kernel.
public struct KernelStep: Sendable {
    /// The next command, or the result.
    public enum Next: Sendable {
        case transmit(CommandAPDU)
        case finish(ContactlessOutcome)
    }

    /// Messages to show before the command, or before the outcome.
    public var messages: [UserInterfaceRequest]
    public var next: Next

    /// Describes a step.
    public init(_ next: Next, messages: [UserInterfaceRequest] = []) {
        (self.next, self.messages) = (next, messages)
    }
}

/// The input with which a kernel begins (EMV Contactless Book B §3.4.1).
public struct KernelActivation: Sendable {
    /// The start that led here. At Start D the application was not selected again.
    public let start: EntryPointStart
    /// Whether the transaction was restarted.
    public let isRestart: Bool
    public let combination: ReaderCombination
    public let indicators: PreProcessingIndicators
    /// The card's answer to SELECT: FCI and status word; nil at Start D.
    public let selection: ResponseAPDU?
    /// Value fields: those of the transaction and the terminal, 9F06 with the name selected, a new unpredictable number
    /// (9F37), 9F66 of the indicators, the kernel identifiers 9F2A and 96, and the kernel's own settings.
    public let data: [BERTag: [UInt8]]
    /// The host's answer before a restart; nil if the host was not asked.
    public let onlineResponse: OnlineAuthorizationResult?
    /// Whether the card must not approve without the issuer: the merchant forces the transaction online, it may not be
    /// approved offline, or it checks the status of the account.
    public let demandsIssuer: Bool

    /// Describes an activation. Entry Point makes them; a test of a kernel may.
    public init(
        start: EntryPointStart, isRestart: Bool, combination: ReaderCombination, indicators: PreProcessingIndicators,
        selection: ResponseAPDU?, data: [BERTag: [UInt8]], onlineResponse: OnlineAuthorizationResult?,
        demandsIssuer: Bool = false
    ) {
        (self.start, self.isRestart, self.combination) = (start, isRestart, combination)
        (self.indicators, self.selection, self.data) = (indicators, selection, data)
        (self.onlineResponse, self.demandsIssuer) = (onlineResponse, demandsIssuer)
    }
}

/// A kernel that a reader has.
public struct KernelRegistration: Sendable {
    public let identifier: KernelIdentifier
    let make: @Sendable () -> any ContactlessKernel

    /// Names a kernel. `make` creates one for each selected application.
    public init(_ identifier: KernelIdentifier, make: @escaping @Sendable () -> any ContactlessKernel) {
        (self.identifier, self.make) = (identifier, make)
    }
}

/// The kernels of a reader, by identifier.
public struct KernelRegistry: Sendable {
    private let kernels: [KernelIdentifier: KernelRegistration]

    /// Has no kernel.
    public init() { kernels = [:] }

    /// Registers one kernel.
    public init(_ registration: KernelRegistration) { kernels = [registration.identifier: registration] }

    /// Registers kernels.
    ///
    /// - Throws: ``EntryPointConfigurationError/repeatedKernel(_:)``
    public init(_ registrations: [KernelRegistration]) throws(EntryPointConfigurationError) {
        var kernels: [KernelIdentifier: KernelRegistration] = [:]
        for registration in registrations {
            guard kernels.updateValue(registration, forKey: registration.identifier) == nil else {
                throw .repeatedKernel(registration.identifier)
            }
        }
        self.kernels = kernels
    }

    /// Whether the reader has a kernel.
    public func contains(_ identifier: KernelIdentifier) -> Bool { kernels[identifier] != nil }

    func makeKernel(_ identifier: KernelIdentifier) -> (any ContactlessKernel)? { kernels[identifier]?.make() }

    /// The value of tag 96, kernel identifier - terminal, eight bytes (Book B §3.4.1.4 table 3-7): the first three
    /// bytes of the kernel, and in byte 4 whether the reader has Kernel 8 (80), also for this transaction (40).
    func terminalIdentifier(_ kernel: KernelIdentifier, among combinations: [PreparedCombination]) -> [UInt8] {
        let hasKernel8 = contains(.kernel8)
        let isOffered =
            hasKernel8 && combinations.contains { !$0.indicators.isNotAllowed && $0.combination.kernel == .kernel8 }
        let flags: UInt8 = (hasKernel8 ? 0x80 : 0) | (isOffered ? 0x40 : 0)
        return (kernel.bytes + [0, 0]).prefix(3) + [flags, 0, 0, 0, 0]
    }
}
