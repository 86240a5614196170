internal import SettingsFile

extension Scenario {
    /// The scenario as a file, which ``ScenarioFile`` reads as the same scenario.
    ///
    /// Profiles in files of their own are named by the path that they were read from. Matrices, variables and includes
    /// have become what they make.
    ///
    /// - Parameter remarks: lines of comment at its head.
    /// - Throws: ``ScenarioWritingError``
    public func yaml(remarks: [String] = []) throws(ScenarioWritingError) -> String {
        let head = remarks.map { remark in
            "# \(String(remark.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }))\n"
        }
        return head.joined() + (try ScenarioWriter(self).file()).yaml
    }
}
