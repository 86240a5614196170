import Doctor

extension [Finding] {
    var verdicts: [Verdict] { map(\.verdict) }

    /// The fixes, in order, of what is wrong.
    var fixes: [String] { compactMap(\.fix) }
}
