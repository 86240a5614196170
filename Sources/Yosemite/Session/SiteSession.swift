internal import Commands
public import Determinism
public import Experiments
public import Networking
public import Storage

/// What the stores of one session work with, until it ends.
public struct SiteSession: Sendable {
    public let signIn: SignIn
    /// What is known of the store that was chosen when the session began; nil when nothing is.
    public let site: Site?
    public let context: StoreContext
    private let sender: SessionSender

    /// - Parameters:
    ///   - signIn: who is signed in.
    ///   - site: what is known of the store that is chosen; nil when nothing is.
    ///   - network: carries the requests.
    ///   - storage: keeps what they bring.
    ///   - time: what pauses are counted by, and records dated.
    ///   - random: for pauses between attempts.
    ///   - features: knows which features are on.
    ///   - concurrency: how many requests are on their way at the same time, where several may be.
    ///   - onRefusal: called once, when the credentials are no good any more.
    public init(
        _ signIn: SignIn, site: Site? = nil, network: any Network, storage: any StorageManagerType,
        time: any TimeSource,
        random: any RandomSource, features: any FeatureFlagService = DefaultFeatureFlagService(), concurrency: Int = 4,
        onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) {
        (self.signIn, self.site) = (signIn, site)
        sender = SessionSender(
            SiteClient(
                network: network, credentials: signIn.credentials, time: time, random: random, dotcom: signIn.dotcom),
            credentials: signIn.credentials, onRefusal: onRefusal)
        context = StoreContext(
            sender: sender, storage: storage, time: time,
            concurrency: features.isEnabled(.concurrentSync) ? concurrency : 1,
            directSite: signIn.credentials.directSite, features: features)
    }

    /// Ends what is under way, so that nothing of this session is saved after its data are deleted.
    func end() async {
        sender.end()
        await context.commands.end()
    }
}
