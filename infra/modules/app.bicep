@description('Name of the app.')
param name string

@description('Name of its plan.')
param planName string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Resource id of the identity that the app runs as.')
param identityId string

@description('Its client id.')
param identityClientId string

@description('Name of the storage account of the Functions host.')
param storageName string

@description('Address of the container that packages are deployed to.')
param packageContainerUri string

@description('Where telemetry goes.')
param insightsConnection string

@description('Which traces are kept.')
param traceSampler string

@description('How many a second, or the share of them.')
param traceSamplerArgument string

@description('Resource id of the subnet that the app calls out from; empty without a virtual network.')
param subnetId string

@description('Whether callers may come from the internet.')
param publicAccess bool

@description('Id of the Front Door that callers come through; empty for any way.')
param frontDoorId string

@description('Memory of an instance in MB.')
@allowed([
  512
  2048
  4096
])
param instanceMemoryMB int

@description('Most instances.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int

@description('HTTP requests an instance is given at once.')
@minValue(1)
@maxValue(1000)
param perInstanceConcurrency int

@description('Instances kept warm for HTTP.')
@minValue(0)
@maxValue(1000)
param alwaysReadyInstances int

@description('What happens to running instances when a new package arrives.')
@allowed([
  'Recreate'
  'RollingUpdate'
])
param siteUpdateStrategy string

@description('Whether instances are spread over availability zones.')
param zoneRedundant bool

@description('The settings of the service by name.')
@secure()
param settings object

@description('Client id of the app registration that App Service authentication checks tokens for; empty leaves it off.')
param authClientId string

@description('Tenant whose tokens are accepted.')
param authTenantId string

@description('Client ids of the applications whose tokens are accepted; empty for all of the tenant.')
param authAllowedApplications array

@description('Resource id of the workspace that gets its logs; empty for none.')
param workspaceId string

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: {
    name: 'FC1'
    tier: 'FlexConsumption'
  }
  properties: {
    reserved: true
    zoneRedundant: zoneRedundant
  }
}

resource site 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  tags: union(tags, {
    'azd-service-name': 'retrieval'
  })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    clientAffinityEnabled: false
    keyVaultReferenceIdentity: identityId
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainerUri
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: {
        name: 'python'
        version: '3.13'
      }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: alwaysReadyInstances == 0 ? [] : [
          {
            name: 'http'
            instanceCount: alwaysReadyInstances
          }
        ]
        triggers: {
          http: {
            perInstanceConcurrency: perInstanceConcurrency
          }
        }
      }
      // Documented, and in no version of the published types.
      #disable-next-line BCP037
      siteUpdateStrategy: {
        type: siteUpdateStrategy
      }
    }
    siteConfig: {
      ftpsState: 'Disabled'
      http20Enabled: true
      minTlsVersion: '1.2'
      scmMinTlsVersion: '1.2'
      remoteDebuggingEnabled: false
      ipSecurityRestrictionsDefaultAction: empty(frontDoorId) ? 'Allow' : 'Deny'
      ipSecurityRestrictions: empty(frontDoorId) ? [] : [
        {
          name: 'front-door'
          priority: 100
          action: 'Allow'
          tag: 'ServiceTag'
          ipAddress: 'AzureFrontDoor.Backend'
          headers: {
            'x-azure-fdid': [
              frontDoorId
            ]
          }
        }
        {
          name: 'availability'
          priority: 200
          action: 'Allow'
          tag: 'ServiceTag'
          ipAddress: 'ApplicationInsightsAvailability'
        }
      ]
    }
  }
}

resource ftpPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2025-03-01' = {
  parent: site
  name: 'ftp'
  properties: {
    allow: false
  }
}

resource deployPasswords 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2025-03-01' = {
  parent: site
  name: 'scm'
  properties: {
    allow: false
  }
}

resource appSettings 'Microsoft.Web/sites/config@2025-03-01' = {
  parent: site
  name: 'appsettings'
  properties: union(settings, {
    AzureWebJobsStorage__accountName: storageName
    AzureWebJobsStorage__credential: 'managedidentity'
    AzureWebJobsStorage__clientId: identityClientId
    AzureWebJobsDisableHomepage: 'true'
    APPLICATIONINSIGHTS_CONNECTION_STRING: insightsConnection
    APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
    PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY: 'true'
    OTEL_RESOURCE_ATTRIBUTES: 'service.version=0.1.0'
    OTEL_TRACES_SAMPLER: traceSampler
    OTEL_TRACES_SAMPLER_ARG: traceSamplerArgument
  })
}

resource authentication 'Microsoft.Web/sites/config@2025-03-01' = if (!empty(authClientId)) {
  parent: site
  name: 'authsettingsV2'
  properties: {
    platform: {
      enabled: true
    }
    globalValidation: {
      requireAuthentication: false
      unauthenticatedClientAction: 'AllowAnonymous'
    }
    httpSettings: {
      requireHttps: true
    }
    identityProviders: {
      azureActiveDirectory: {
        enabled: true
        registration: {
          clientId: authClientId
          openIdIssuer: '${environment().authentication.loginEndpoint}${authTenantId}/v2.0'
        }
        validation: {
          allowedAudiences: [
            authClientId
            'api://${authClientId}'
          ]
          defaultAuthorizationPolicy: empty(authAllowedApplications) ? null : {
            allowedApplications: authAllowedApplications
          }
        }
      }
    }
    login: {
      tokenStore: {
        enabled: false
      }
    }
  }
}

resource logs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (!empty(workspaceId)) {
  name: 'to-workspace'
  scope: site
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'FunctionAppLogs'
        enabled: true
      }
    ]
  }
}

@description('Resource id of the app.')
output id string = site.id

@description('Name of the app.')
output name string = site.name

@description('Address that callers use.')
output endpoint string = 'https://${site.properties.defaultHostName}'
