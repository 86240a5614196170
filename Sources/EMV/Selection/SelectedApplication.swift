/// The application that a transaction runs with, and what SELECT said of it.
struct SelectedApplication {
    let candidate: ApplicationCandidate
    let information: FileControlInformation
    /// The names of the final SELECT, which may say more than the directory.
    let name: ApplicationName
}
