import Determinism
import EMV
import Money
import Networking
import Payments
import Storage
import USB

/// The environment of a till: reader, network, database, and time.
public struct Machine: Sendable {
    /// The bus of the reader.
    public var bus: any USBBus
    /// The payment host, which authorizes payments.
    public var host: any PaymentHost
    /// The till's database.
    public var storage: any StorageManagerType
    /// The cardholder, who chooses applications and types PINs at the till.
    public var cardholder: any CardholderInterface
    /// The network of the store whose orders are paid.
    public var network: any Network
    /// The signed-in user of that store; nil without one.
    public var signIn: SignIn?
    public var time: any TimeSource
    public var random: any RandomSource
    /// The terminal's capabilities and keys.
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
