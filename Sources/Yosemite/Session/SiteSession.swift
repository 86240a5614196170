internal import Commands
public import Determinism
public import Networking
public import Storage

/// What the stores of one session work with, until it ends.
public struct SiteSession: Sendable {
    public let context: StoreContext
    private let sender: SessionSender

    /// - Parameters:
    ///   - signIn: who is signed in.
    ///   - network: carries the requests.
    ///   - storage: keeps what they bring.
    ///   - random: for pauses between attempts.
    ///   - onRefusal: called once, when the credentials are no good any more.
    public init(
        _ signIn: SignIn, network: any Network, storage: any StorageManagerType, time: any TimeSource,
        random: any RandomSource, onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) {
        sender = SessionSender(
            SiteClient(
                network: network, credentials: signIn.credentials, time: time, random: random, dotcom: signIn.dotcom),
            credentials: signIn.credentials, onRefusal: onRefusal)
        context = StoreContext(sender: sender, storage: storage, time: time)
    }

    /// Ends what is under way, so that nothing of this session is saved after its data are deleted.
    func end() async {
        sender.end()
        await context.commands.end()
    }
}
