import Amounts
import Determinism
import EMV
import Hardware
import Networking
import Storage
import USB

/// What a till finds on the machine that it runs on.
public struct Machine: Sendable {
    /// Where the reader is plugged in.
    public var bus: any USBBus
    /// The way to whoever authorises payments.
    public var host: any PaymentHost
    /// Where the till keeps its records.
    public var storage: any StorageManagerType
    /// Who chooses and types at the till.
    public var cardholder: any CardholderInterface
    /// The way to the store whose orders are paid.
    public var network: any Network
    /// Who is signed in to that store; nil when nobody is.
    public var signIn: SignIn?
    public var time: any TimeSource
    public var random: any RandomSource
    /// What the terminal can do, and which keys it knows.
    public var terminal: @Sendable (Currency) -> TerminalConfiguration

    public init(
        bus: any USBBus, host: any PaymentHost, storage: any StorageManagerType, cardholder: any CardholderInterface,
        network: any Network = NullNetwork(), signIn: SignIn? = nil, time: any TimeSource, random: any RandomSource,
        terminal: @escaping @Sendable (Currency) -> TerminalConfiguration
    ) {
        self.bus = bus
        self.host = host
        self.storage = storage
        self.cardholder = cardholder
        self.network = network
        self.signIn = signIn
        self.time = time
        self.random = random
        self.terminal = terminal
    }
}
