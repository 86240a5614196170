internal import Glibc

/// The seed that whoever runs the tests gives, so that the same tests can be run with other chances.
enum TestSeed {
    /// Of the environment's `CARDPRESENT_SEED`; nil when there is none, or it is no number.
    static let given: UInt64? = getenv("CARDPRESENT_SEED").flatMap { UInt64(String(cString: $0)) }
}
