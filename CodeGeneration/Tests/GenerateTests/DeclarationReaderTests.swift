import Testing

@testable import Generate
