// New in macOS 15; the build looks for this file.
#pragma once

@interface MTLResidencySetDescriptor : NSObject
@end
@protocol MTLResidencySet <NSObject>
- (void)addAllocation:(id<MTLAllocation>)allocation;
- (void)removeAllocation:(id<MTLAllocation>)allocation;
- (void)commit;
@end
