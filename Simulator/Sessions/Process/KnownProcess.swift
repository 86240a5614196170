/// A process that was begun, whether or not anything of it is left.
struct KnownProcess: Sendable {
    weak let process: SessionProcess?
}
