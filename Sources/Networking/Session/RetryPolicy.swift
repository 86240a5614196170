internal import Determinism

/// How often, and after which pauses, a request is sent again that may be.
public struct RetryPolicy: Hashable, Sendable {
    /// All attempts together, at least one.
    public var attempts: Int
    /// The pause before the second attempt; it doubles from there on.
    public var firstPause: Duration
    public var longestPause: Duration

    public init(attempts: Int = 4, firstPause: Duration = .milliseconds(500), longestPause: Duration = .seconds(20)) {
        (self.attempts, self.firstPause, self.longestPause) = (attempts, firstPause, longestPause)
    }

    /// Every request is sent once.
    public static let never = RetryPolicy(attempts: 1)

    /// Whether another attempt may have another result.
    static func isWorthwhile(_ error: NetworkError) -> Bool {
        switch error {
        case .cannotConnect, .connectionLost: true
        case .timedOut: true
        case .service(let error): error.isTransient
        default: false
        }
    }

    /// The pause after attempt `number` (from 1): what the server asks for, or half of the step and a random part of
    /// the other half, so that many tills do not come back at once.
    func pause(after number: Int, asked: Duration?, random: any RandomSource) -> Duration {
        if let asked { return asked }
        let step = min(longestPause, firstPause * (1 << min(max(0, number - 1), 16)))
        return step / 2 + step / 2 * Int(random.number(in: 0...1000)) / 1000
    }
}
