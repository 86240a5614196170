/// Which part of a session expectations are about: a step, or all of it.
struct ExpectationScope: Sendable {
    /// How many events there were before it.
    var firstEvent: Int
    /// On the virtual clock.
    var elapsed: Duration
    /// How the step ended, or the last step that ended somehow.
    var outcome: StepOutcome
}
