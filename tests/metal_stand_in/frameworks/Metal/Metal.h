// The parts of Apple's Metal that src/device/metal uses.
#pragma once

#import <Foundation/Foundation.h>

typedef uint64_t MTLGPUAddress;

typedef enum MTLGPUFamily : NSInteger { MTLGPUFamilyApple7 = 1007 } MTLGPUFamily;
typedef enum MTLResourceOptions : NSUInteger {
    MTLResourceStorageModeShared = 0,
    MTLResourceHazardTrackingModeUntracked = 1 << 8
} MTLResourceOptions;
static inline MTLResourceOptions operator|(MTLResourceOptions a, MTLResourceOptions b) {
    return MTLResourceOptions(NSUInteger(a) | NSUInteger(b));
}
typedef enum MTLLanguageVersion : NSUInteger { MTLLanguageVersion3_2 = (3 << 16) + 2 } MTLLanguageVersion;
typedef enum MTLMathMode : NSInteger { MTLMathModeSafe = 0 } MTLMathMode;
typedef enum MTLMathFloatingPointFunctions : NSInteger {
    MTLMathFloatingPointFunctionsFast = 0,
    MTLMathFloatingPointFunctionsPrecise = 1
} MTLMathFloatingPointFunctions;
typedef enum MTLCommandBufferStatus : NSUInteger { MTLCommandBufferStatusError = 5 } MTLCommandBufferStatus;
enum { MTLCommandBufferErrorOutOfMemory = 8 };
typedef enum MTLBarrierScope : NSUInteger { MTLBarrierScopeBuffers = 1 } MTLBarrierScope;
typedef enum MTLResourceUsage : NSUInteger { MTLResourceUsageRead = 1 } MTLResourceUsage;
typedef enum MTLDispatchType : NSUInteger { MTLDispatchTypeSerial, MTLDispatchTypeConcurrent } MTLDispatchType;

typedef struct {
    NSUInteger width, height, depth;
} MTLSize;
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
    return MTLSize{width, height, depth};
}

@protocol MTLDevice;
@protocol MTLCommandBuffer;

@protocol MTLAllocation <NSObject>
@end
@protocol MTLFence <NSObject>
@end
@protocol MTLFunction <NSObject>
@end

@protocol MTLResource <MTLAllocation>
@end
@protocol MTLBuffer <MTLResource>
@property(readonly) NSUInteger length;
@property(readonly) MTLGPUAddress gpuAddress;
- (void *)contents;
@end

@protocol MTLSharedEvent <NSObject>
@property(readwrite) uint64_t signaledValue;
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds;
@end

@protocol MTLComputePipelineState <NSObject>
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@end

@protocol MTLLibrary <NSObject>
- (id<MTLFunction>)newFunctionWithName:(NSString *)name;
@end

@protocol MTLCommandEncoder <NSObject>
- (void)endEncoding;
@end
@protocol MTLComputeCommandEncoder <MTLCommandEncoder>
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage;
- (void)memoryBarrierWithScope:(MTLBarrierScope)scope;
- (void)updateFence:(id<MTLFence>)fence;
- (void)waitForFence:(id<MTLFence>)fence;
@end
typedef void (^MTLCommandBufferHandler)(id<MTLCommandBuffer>);
@protocol MTLCommandBuffer <NSObject>
@property(readonly) MTLCommandBufferStatus status;
@property(readonly) NSError *error;
@property(readonly) CFTimeInterval GPUEndTime;
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)type;
- (void)encodeSignalEvent:(id<MTLSharedEvent>)event value:(uint64_t)value;
- (void)encodeWaitForEvent:(id<MTLSharedEvent>)event value:(uint64_t)value;
- (void)addCompletedHandler:(MTLCommandBufferHandler)block;
- (void)commit;
- (void)waitUntilCompleted;
@end

#import <Metal/MTLResidencySet.h>

@protocol MTLCommandQueue <NSObject>
@property(readonly) id<MTLDevice> device;
- (id<MTLCommandBuffer>)commandBuffer;
- (void)addResidencySet:(id<MTLResidencySet>)set;
- (void)removeResidencySet:(id<MTLResidencySet>)set;
@end

@interface MTLCompileOptions : NSObject
@property(readwrite) MTLLanguageVersion languageVersion;
@property(readwrite) MTLMathMode mathMode;
@property(readwrite) MTLMathFloatingPointFunctions mathFloatingPointFunctions;
@end

@protocol MTLDevice <NSObject>
@property(readonly) NSString *name;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;
@property(readonly) NSUInteger maxThreadgroupMemoryLength;
- (BOOL)supportsFamily:(MTLGPUFamily)family;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytes:(const void *)bytes length:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError *__autoreleasing *)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                             error:(NSError *__autoreleasing *)error;
- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor
                                               error:(NSError *__autoreleasing *)error;
- (id<MTLSharedEvent>)newSharedEvent;
- (id<MTLFence>)newFence;
@end

extern "C" {
id<MTLDevice> MTLCreateSystemDefaultDevice(void) __attribute__((ns_returns_retained));
NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) __attribute__((ns_returns_retained));
}
