internal import ArgumentParser

/// As what a receipt goes into a message, beside its text.
enum MailFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case pdf
    case html
    case text
}
